import Foundation
import HubEmulator
import Testing

@testable import fanfare

/// `fanfare bench --hub`: real sends, few and only after somebody has said so.
@Suite struct BenchHubTests {
    private let bench = ["bench", "--hub", "news", "--tag", "World", "--json"]

    @Test func itSendsWhatItAnnouncedToTheOneTagAndTellsHowTheHubAnswers() async throws {
        try await HubSite.run { site in
            let ended = try await site.fanfare.run(bench + ["--messages", "40", "--yes"])
            #expect(ended.status == 0, "\(ended.errors)")
            #expect(
                ended.errors.contains(
                    "really sends 40 notifications to every device of hub breaking-news with the tag World"))
            let facts = try ended.json([String: Any].self)
            #expect(facts["accepted"] as? Int == 40 && facts["not_sent"] as? Int == 0)
            #expect((facts["answers_ms"] as? [String: Any])?["samples"] as? Int == 40)
            #expect(try #require((facts["opening_ms"] as? [String: Any])?["tcp"] as? Double) > 0)
            #expect(try #require(facts["look_ms"] as? Double) > 0)
            #expect((1...8).contains(try #require(facts["connections"] as? Int)))
            #expect(try #require((facts["limit"] as? [String: Any])?["posts_per_second"] as? Double) > 0)

            let journal = site.emulator.journal()
            #expect(journal.count == 40)
            #expect(journal.allSatisfy { $0.tags == "World" && $0.kind == .send })
            let bodies = Set(journal.compactMap(\.body))
            #expect(bodies == Set((1...40).map { #"{"message": "fanfare bench, \#($0) of 40"}"# }))
        }
    }

    @Test func nothingLeavesUnlessSomebodyConfirms() async throws {
        try await HubSite.run { site in
            let ended = try await site.fanfare.run(bench)
            #expect(ended.status == 64)
            #expect(ended.errors.contains("really sends 50 notifications"))
            #expect(ended.errors.contains("--yes"))
            #expect(site.emulator.journal().isEmpty)
        }
    }

    @Test(arguments: [("yes", Int32(0), 3), ("no", 64, 0), ("", 64, 0)])
    func atATerminalAPersonIsAsked(typed: String, status: Int32, sent: Int) async throws {
        try await HubSite.run { site in
            let bench = site.fanfare.process(bench + ["--messages", "3"])
            let command = ([bench.executableURL?.path() ?? ""] + (bench.arguments ?? [])).joined(separator: "' '")
            // script(1) runs it on a terminal of its own, on which it types what it reads.
            bench.executableURL = URL(filePath: "/usr/bin/script")
            bench.arguments = ["-qec", "'\(command)'", "/dev/null"]
            let typing = Pipe()
            bench.standardInput = typing
            bench.standardOutput = FileHandle.nullDevice
            bench.standardError = FileHandle.nullDevice
            let run = try ServiceBench.Process(bench)
            try typing.fileHandleForWriting.write(contentsOf: Data("\(typed)\n".utf8))
            #expect(await run.ended == status)
            try typing.fileHandleForWriting.close()
            #expect(site.emulator.count().taken == sent)
        }
    }

    @Test func propertiesAreThoseThatWereGiven() async throws {
        try await HubSite.run { site in
            let ended = try await site.fanfare.run(
                bench + ["--messages", "1", "--yes", "--property", "News=of the day"])
            #expect(ended.status == 0, "\(ended.errors)")
            #expect(site.emulator.journal().map(\.body) == [#"{"News": "of the day"}"#])
        }
    }

    @Test func aHubThatThrottlesIsLeftAlone() async throws {
        try await HubSite.run { site in
            var fault = Fault(.next(10_000), status: 429)
            fault.tag = "World"
            fault.retryAfter = .seconds(30)
            try site.emulator.add(fault)
            let ended = try await site.fanfare.run(bench + ["--messages", "500", "--yes"])
            #expect(ended.status == 75)
            let facts = try ended.json([String: Any].self)
            #expect(
                facts["accepted"] as? Int == 0 && facts["throttled"] as? Int == 1 && facts["not_sent"] as? Int == 499)
            #expect(site.emulator.journal().count == 1)
        }
    }

    @Test func oneRefusalInTheMiddleEndsIt() async throws {
        try await HubSite.run { site in
            try site.emulator.add(Fault(.nth(20), status: 503))
            let ended = try await site.fanfare.run(bench + ["--messages", "500", "--window", "4", "--yes"])
            #expect(ended.status == 75)
            let facts = try ended.json([String: Any].self)
            // Those that were on their way when it was answered are answered too.
            #expect((19...40).contains(try #require(facts["accepted"] as? Int)))
            #expect(site.emulator.journal().count < 60)
        }
    }

    @Test func aKeyTheHubRefusesCostsOneTry() async throws {
        try await HubSite.run(key: "bm8=") { site in
            let ended = try await site.fanfare.run(bench + ["--yes"])
            #expect(ended.status == 78)
            #expect(site.emulator.journal().allSatisfy { !$0.taken })
            #expect(site.emulator.journal().count == 1)
        }
    }

    @Test func aHubThatIsNotThereIsNotSentTo() async throws {
        try await HubSite.run { site in
            await site.emulator.stop()
            let ended = try await site.fanfare.run(bench + ["--yes"])
            #expect(ended.status == 69)
            #expect(try ended.json([String: Any].self)["not_sent"] as? Int == 50)
        }
    }

    @Test func theRateOfTheSettingsIsAnnouncedAndKept() async throws {
        try await HubSite.run(#""ratePerSecond": 500,"#) { site in
            let ended = try await site.fanfare.run(bench + ["--messages", "11", "--yes"])
            #expect(ended.status == 0, "\(ended.errors)")
            #expect(ended.errors.contains("500 a second at most"))
        }
        #expect([1, 2, 26].map { BenchSending.start(of: $0, rate: 50) } == [0, 0.02, 0.5])
        #expect(BenchSending.start(of: 1_000, rate: 0) == 0)
    }

    @Test func aHubTheSettingsDoNotKnowIsRefused() async throws {
        try await HubSite.run { site in
            let ended = try await site.fanfare.run(["bench", "--hub", "other", "--tag", "World", "--yes"])
            #expect(ended.status == 65)
            #expect(ended.errors.contains("They have: news"))
        }
    }
}
