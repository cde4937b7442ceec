import Foundation
import ProgramSupport
import TestSupport
import Testing

/// "In everybody's morning" and "At night" of docs/campaigns.md, as the owner of a campaign types them.
@Suite(.timeLimit(.minutes(10))) struct CampaignLocalPageTests {
    private static func type(_ command: String, _ bench: WorkerBench) async throws -> Tool.Ended {
        try await Tool.shell(
            ["-c", command], environment: ["PATH": "\(Fanfare.directory):/usr/local/bin:/usr/bin:/bin"],
            in: URL(filePath: bench.folder.path))
    }

    @Test func theExampleOfTheMorningRunsByTheClockOfEachZone() async throws {
        let page = try Page("docs/campaigns.md")
        let bench = try await WorkerBench.make()
        let test = bench.worker.test
        let sql = try #require(page.blocks("sql").first { $0.text.contains("CREATE SCHEMA morning") })
        try await test.database.script(sql.text)
        let spec = try #require(page.blocks("json").first { $0.text.contains("morning.readers") })
        _ = try bench.folder.write(spec.text, to: "morning.json")
        let created = try await Self.type("fanfare campaign create morning --file morning.json", bench)
        #expect(created.status == 0, "\(created)")
        let checked = try await Self.type("fanfare campaign check morning", bench)
        #expect(!checked.output.contains("has no index"), "\(checked)")
        #expect(checked.output.contains("4 time zones") || checked.output.contains("3 time zones"), "\(checked)")
        let command = try #require(page.text.firstMatch(of: /`(fanfare schedule set morning [^`]*)`/)).1
        let set = try await Self.type(String(command), bench)
        #expect(set.status == 0, "\(set)")
        #expect(set.output.contains("in everybody's own zone, from Pacific/Kiritimati on"), "\(set)")
        #expect(set.output.contains(" 09:00 +14:00"), "\(set)")
        // Its key is when the day begins first.
        let run = try await Self.type("fanfare campaign run morning --key 2030-01-07T19:00:00Z", bench)
        #expect(run.status == 0, "\(run)")
        let status = try await Self.type("fanfare campaign status morning", bench)
        #expect(status.output.contains("waits for its next time zone until 2030-01-08T00:00:00.000Z"), "\(status)")
        // As if the clock had come to Tokyo's nine.
        try await test.database.script("UPDATE push.stream SET release_at = now() WHERE zone = 'Asia/Tokyo'")
        let drained = try await Self.type("fanfare drain", bench)
        #expect(drained.status == 75, "\(drained)")
        #expect(
            try await test.number("SELECT count(*) FROM push.result WHERE status = 'accepted'") == 250)
        try await test.database.script("UPDATE push.stream SET release_at = now()")
        let rest = try await Self.type("fanfare drain", bench)
        #expect(rest.status == 0, "\(rest)")
        #expect(
            try await test.number("SELECT count(*) FROM push.result WHERE status = 'accepted'") == 1_000)
        let over = try await Self.type("fanfare campaign status morning", bench)
        #expect(over.output.contains("unknown zone 250"), "\(over)")
    }

    @Test func theExampleOfTheNightWaitsForItsWindow() async throws {
        let page = try Page("docs/campaigns.md")
        let bench = try await WorkerBench.make()
        let spec = try #require(page.blocks("json").first { $0.text.contains(#""window""#) })
        _ = try bench.folder.write(spec.text, to: "eight.json")
        let created = try await Self.type("fanfare campaign create eight --file eight.json", bench)
        #expect(created.status == 0, "\(created)")
        let run = try await Self.type("fanfare campaign run eight --key k", bench)
        #expect(run.status == 0, "\(run)")
        // As if it were night, whenever the test runs: of the week only a day that is not near.
        try await bench.worker.test.database.script(
            """
            UPDATE push.run SET send_window = json_build_object(
                'zone', 'UTC', 'days', lower(to_char(now() AT TIME ZONE 'UTC' + interval '3 days', 'Dy')))
            """)
        let status = try await Self.type("fanfare campaign status eight", bench)
        let words = try #require(page.text.firstMatch(of: /says `(waits for its window until )\.\.\.`/)).1
        #expect(status.output.contains(words), "\(status)")
        try await bench.worker.test.database.script("UPDATE push.run SET send_window = NULL, ramp = NULL")
        let drained = try await Self.type("fanfare drain", bench)
        #expect(drained.status == 0, "\(drained)")
        #expect(bench.worker.taken.count == 1)
    }
}
