import Foundation
import HubEmulator
import TestSupport
import Testing

/// A worker is killed while messages wait for others.
@Suite(.serialized, .timeLimit(.minutes(10))) struct KilledWhileWaitingTests {
    @Test func whatWaitsIsSentInOrderByTheNextWorker() async throws {
        let bench = try await CrashBench()
        defer { bench.proxy.end() }
        var slow = Fault(.every(1))
        slow.operations = [.send]
        slow.delayMilliseconds = 20
        try bench.worker.emulator.add(slow)
        let pairs = 40
        for which in 1...2 {
            try await bench.worker.test.database.execute(
                """
                INSERT INTO push.message (hub, tag, content, after, after_at_most, pack)
                SELECT 'news', 'order-' || n, json_build_object('message', n || ' ' || \(Int32(which))),
                       CASE \(Int32(which)) WHEN 2 THEN (
                           SELECT m.id FROM push.message m WHERE m.tag = 'order-' || n AND m.after IS NULL) END,
                       CASE \(Int32(which)) WHEN 2 THEN interval '1 h' END, false
                  FROM generate_series(1, \(Int32(pairs))) n
                """)
        }
        for _ in 1...3 {
            let worker = try bench.start("killed")
            let taken = bench.worker.emulator.count().taken
            // On a busy machine one may send all before its kill, and the next one finds nothing.
            try await Awaited.until("ten more taken, or nothing waits") {
                let more = bench.worker.emulator.count().taken - taken
                let open = try await bench.worker.test.number(
                    "SELECT (SELECT count(*) FROM push.due) + (SELECT count(*) FROM push.waiting)")
                return ("\(more) more, \(open) open", more >= 10 || open == 0)
            }
            worker.signal(SIGKILL)
            #expect(await worker.ended == -SIGKILL)
        }
        let last = try bench.start("last")
        try await bench.worker.until("SELECT count(*) FROM push.due") { $0 == 0 }
        try await bench.untilNothingIsLeft()
        last.signal(SIGTERM)
        #expect(await last.ended == 0)

        try await bench.balance(2 * pairs)
        #expect(try await bench.worker.test.number("SELECT count(*) FROM push.waiting") == 0)
        let bodies = bench.worker.emulator.journal().filter(\.taken).compactMap(\.body)
        for n in 1...pairs {
            let places = [1, 2].map { which in bodies.firstIndex { $0.contains("\"\(n) \(which)\"") } }
            // A first one in doubt may be missing: it was about to leave when its worker was killed.
            guard let first = places[0], let second = places[1] else { continue }
            #expect(first < second, "pair \(n)")
        }
    }
}
