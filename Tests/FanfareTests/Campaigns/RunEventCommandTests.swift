import Foundation
import ProgramSupport
import Testing

/// `fanfare campaign events`, at once and as it happens.
@Suite(.timeLimit(.minutes(10))) struct RunEventCommandTests {
    private static let start =
        #"SELECT push.run_campaign('spring', 'k', 'news', '{A}', '{"": {"title": "x"}}')"#

    @Test func eachLineHasTheMarkToGoOnFrom() async throws {
        let site = try await Site.make()
        try await site.execute(Self.start)
        try await site.execute("SELECT push.pause_run('spring', reason => 'a\nb')")
        let lines = try await site.fanfare("campaign", "events").output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasSuffix("  spring k  start: running  postgres"), "\(lines[0])")
        #expect(lines[1].contains("  spring k  pause: running → paused  postgres  paused by postgres: a"), "\(lines)")
        let mark = String(try #require(lines[0].split(separator: " ").first))
        let rest = try await site.fanfare("campaign", "events", "spring", "--after", mark, "--json")
        #expect(rest.output.contains(#""event": "pause""#) && !rest.output.contains("start"), "\(rest)")
        let one = try await site.fanfare("campaign", "events", "--limit", "1")
        #expect(one.output.split(separator: "\n") == [lines[0]])
        let wrong = try await site.fanfare("campaign", "events", "--after", "yesterday")
        #expect(wrong.status == 65 && wrong.errors.contains("next_mark"), "\(wrong)")
        #expect(try await site.fanfare("campaign", "events", "--limit", "0").status == 64)
        let unknown = try await site.fanfare("campaign", "events", "sprin")
        #expect(unknown.status == 65 && unknown.errors.contains("spring"), "\(unknown)")
    }

    @Test func whoFollowsMissesNothingWhenItsSessionsEnd() async throws {
        let site = try await Site.make()
        let follower = try RunningProgram(site.fanfare, "campaign", "events", "--follow", "--after", "0")
        try await site.execute(Self.start)
        try await follower.printed("start: running")
        try await site.execute(
            """
            SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a
             WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
            """)
        try await site.execute("SELECT push.pause_run('spring')")
        try await site.execute("SELECT push.resume_run('spring')")
        let output = try await follower.printed("resume: paused → running")
        #expect(output.split(separator: "\n").count == 3, "\(output)")
        follower.signal(SIGTERM)
        #expect(await follower.end == -SIGTERM)
    }

    @Test func itEndsWhenNobodyReads() async throws {
        let site = try await Site.make()
        let fanfare = site.fanfare.process(["campaign", "events", "--follow"])
        let output = Pipe()
        fanfare.standardOutput = output
        let (ends, end) = AsyncStream<Int32>.makeStream()
        fanfare.terminationHandler = { end.yield($0.terminationStatus) }
        try fanfare.run()
        try output.fileHandleForReading.close()
        for await status in ends {
            #expect(status == 0)
            return
        }
    }
}
