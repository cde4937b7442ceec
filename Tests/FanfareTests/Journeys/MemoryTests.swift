import Foundation
import HubEmulator
import Testing

/// What a worker holds in memory is bounded, whatever backends enqueue: a role that may do nothing but enqueue could end every
/// worker otherwise, over and over.
@Suite(.serialized, .timeLimit(.minutes(10))) struct MemoryTests {
    /// Of memory of its own. Beside it a debug build has 53 MB of its file; it had fewer when the whole was bounded by 150 MB.
    private static let bound = 115_000  // KB

    /// A hundred rows of 6 MB on disk took 856 MB in a worker. The hub answers slowly, so that posts pile up in flight.
    @Test func rowsWithTheMostAndLongestHandlesStayWithinBounds() async throws {
        try await Self.peak(
            of: """
                SELECT 'news', NULL, 'apple', ARRAY(SELECT repeat('a', 519) || lpad(h::text, 5, '0') FROM generate_series(1, 1000) h),
                       json_build_object('aps', json_build_object('alert', g::text)) FROM generate_series(1, 100) g
                """, rows: 100, slowly: true)
    }

    @Test func theLargestContentsStayWithinBounds() async throws {
        try await Self.peak(
            of: """
                SELECT 'news', 't' || g, 'template', NULL, json_build_object('m' || g, repeat('x', 65000))
                  FROM generate_series(1, 2000) g
                """, rows: 2000)
    }

    /// - Parameter rows: what `of` makes: hub, tag, format, handles, content.
    private static func peak(of: String, rows: Int, slowly: Bool = false) async throws {
        let bench = try await ServiceBench()
        if slowly {
            var slow = Fault(.next(1_000_000))
            slow.delayMilliseconds = 1_000
            try bench.emulator.add(slow)
        }
        try await bench.test.database.execute("INSERT INTO push.hub (name) VALUES ('news')")
        try await bench.test.database.execute(
            "INSERT INTO push.message (hub, tag, format, handles, content) \(raw: of)")
        let worker = try await bench.start()
        try await bench.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == rows }
        let status = try String(contentsOfFile: "/proc/\(worker.id)/status", encoding: .utf8)
        let whole = try Self.kilobytes("VmHWM", in: status)
        // Pages of the program's own file: each feature brings some, and no message does.
        let peak = whole - (try Self.kilobytes("RssFile", in: status))
        print("peak: \(peak) KB, and \(whole - peak) KB of the program")
        #expect(peak < bound)
        worker.signal(SIGTERM)
        #expect(await worker.ended == 0)
    }

    private static func kilobytes(_ name: String, in status: String) throws -> Int {
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("\(name):") })
        return try #require(Int(line.filter(\.isNumber)))
    }
}
