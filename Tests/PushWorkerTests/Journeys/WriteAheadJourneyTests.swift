import HubEmulator
import Postgres
import PushModel
import TestSupport
import Testing

/// Posts whose intent is written before their place is free: what does not leave is taken back.
@Suite(.timeLimit(.minutes(10))) struct WriteAheadJourneyTests {
    /// A hub that answers after 50 ms. An intent takes less, also on a busy machine.
    private func slow() async throws -> TestWorker {
        let worker = try await TestWorker.make()
        try worker.emulator.add(delay(milliseconds: 50))
        try await worker.enqueue(3_000)
        return worker
    }

    private func delay(milliseconds: Int) -> Fault {
        var fault = Fault(.every(1))
        fault.delayMilliseconds = milliseconds
        return fault
    }

    private static func takenBack(_ why: String) -> SQL {
        "SELECT count(*) FROM push.answer WHERE verdict = 'not_sent' AND error = \(why)"
    }

    @Test func whatAStalledHubDoesNotTakeIsDueAgainAndCanBeCancelled() async throws {
        let worker = try await slow()
        try await worker.whileWorking { _ in
            // What the hub answered last is recorded a little later.
            let outstanding: SQL = """
                SELECT count(*) FROM push.post p
                 WHERE NOT EXISTS (SELECT FROM push.answer a WHERE a.post = p.id)
                   AND NOT EXISTS (SELECT FROM push.result r WHERE r.post = p.id)
                """
            let why = "no place was free for this post"
            var isTakenBack = false
            for round in 1...20 {
                let posted = try await worker.test.number("SELECT count(*) FROM push.post")
                try await worker.until("SELECT count(*) FROM push.post") { $0 > posted + 600 }
                // On a busy machine some were taken back already, while the hub answered.
                let before = try await worker.test.number(Self.takenBack(why))
                // From here on the hub reads and does not answer.
                worker.emulator.clearFaults()
                try worker.emulator.add(delay(milliseconds: 10_000))
                try await worker.until(
                    """
                    SELECT (count(*) <= 64
                            OR (SELECT count(*) FROM push.answer WHERE verdict = 'not_sent' AND error = \(why)) > \(before))::int::bigint
                      FROM push.post p
                     WHERE NOT EXISTS (SELECT FROM push.answer a WHERE a.post = p.id)
                       AND NOT EXISTS (SELECT FROM push.result r WHERE r.post = p.id)
                    """)
                isTakenBack = try await worker.test.number(Self.takenBack(why)) > before
                guard !isTakenBack else { break }
                // It stopped at a moment at which nothing was written ahead: then it stops again.
                worker.emulator.clearFaults()
                try worker.emulator.add(delay(milliseconds: 50))
                // With bodies of their own: one that is taken twice is a repeat.
                try await worker.test.database.execute(
                    """
                    INSERT INTO push.message (hub, tag, content)
                    SELECT 'news', 'World', json_build_object('message', \("round \(round), ") || n) FROM generate_series(1, 3000) n
                    """)
            }
            #expect(isTakenBack)
            try await worker.until(outstanding) { $0 <= 64 + 32 }
            // A person reaches every message but those in flight, and those that were written ahead again since then: a
            // quarter of the window, and what one intent may have on its way. Asking for all of them takes long on a busy
            // machine, and what is taken back meanwhile can be cancelled when it is asked for once more.
            let tooLate: SQL = """
                WITH asked AS MATERIALIZED (SELECT m.id, push.cancel(m.id) AS said FROM push.message m)
                SELECT count(*) FROM asked a
                 WHERE a.said = 'too_late' AND NOT EXISTS (SELECT FROM push.result r WHERE r.id = a.id AND r.post % 10000 > 0)
                """
            try await worker.until(tooLate) { $0 <= 64 + 32 }
            worker.emulator.clearFaults()
        }
        #expect(worker.taken.count == Set(worker.taken).count)
        #expect(try await worker.lost() == [])
    }

    /// When the hub closes, nothing may be written ahead at that moment: then it closes again.
    @Test func whatIsWrittenWhenTheHubClosesIsTakenBack() async throws {
        let worker = try await slow()
        let takenBack = Self.takenBack("the hub closed before this post left")
        try await worker.whileWorking { _ in
            var all = 3_000
            for _ in 1...20 {
                let posted = try await worker.test.number("SELECT count(*) FROM push.post")
                try await worker.until("SELECT count(*) FROM push.post") { $0 > posted + 600 }
                var busy = Fault(.next(1), status: 429)
                busy.retryAfter = .seconds(1)
                worker.emulator.clearFaults()
                try worker.emulator.add(busy)
                try worker.emulator.add(delay(milliseconds: 50))
                try await worker.accepted(all)
                if try await worker.test.number(takenBack) > 0 { break }
                try await worker.enqueue(3_000, tag: "round\(all)")
                all += 3_000
            }
            #expect(worker.taken.count == all)
        }
        #expect(try await worker.lost() == [])
        #expect(try await worker.test.number(takenBack) > 0)
    }
}
