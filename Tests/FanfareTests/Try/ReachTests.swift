import Foundation
import HubEmulator
import Postgres
import ProgramSupport
import Signing
import TestSupport
import Testing

@testable import fanfare
@testable import Store

/// `fanfare tag reach`, with a real database and the emulator.
@Suite(.timeLimit(.minutes(10))) struct ReachTests {
    /// A database with hub news, and a hub at the emulator.
    private struct Bench {
        let site: Site
        let hub: HubSite

        static func run(rights: Set<Right> = [.send, .listen, .manage], _ body: (Bench) async throws -> Void)
            async throws
        {
            let site = try await Site.make()
            try await HubSite.run(rights: rights) { hub in try await body(Bench(site: site, hub: hub)) }
        }

        func reach(_ words: String...) async throws -> BuiltProgram.Ended {
            try await hub.fanfare.run(
                ["tag", "reach"] + words + ["--hub", "news", "--set", "database.url=\(site.url)"])
        }

        var kept: String {
            get async throws {
                try await site.text(
                    "(SELECT coalesce(string_agg(concat_ws(' ', expression || ':', devices, of, is_whole::text), ', ' ORDER BY expression), '') FROM push.reaches)"
                )
            }
        }
    }

    @Test func aTagAndAnExpressionAreCountedAndKept() async throws {
        try await Bench.run { bench in
            for number in 0..<250 {
                try bench.hub.register("d\(number)", tags: number.isMultiple(of: 5) ? ["World", "muted"] : ["World"])
            }
            for number in 0..<50 { try bench.hub.register("e\(number)", tags: ["other"]) }
            let one = try await bench.reach("World")
            #expect(one.status == 0, "\(one.errors)")
            #expect(one.output == "World: 250 devices\n")
            let expression = try await bench.reach("world&&!muted", "--json")
            #expect(expression.status == 0, "\(expression.errors)")
            let json = try expression.json([String: Any].self)
            #expect(json["expression"] as? String == "world && !muted")
            #expect(json["devices"] as? Int == 200 && json["of"] as? Int == 300)
            #expect(json["is_whole"] as? Bool == true && json["is_kept"] as? Bool == true)
            #expect(try await bench.reach("nobody").output == "nobody: 0 devices\n")
            #expect(try await bench.kept == "World: 250 250 true, nobody: 0 0 true, world && !muted: 200 300 true")
        }
    }

    @Test func aCountStopsAtTheLimitAndSaysOfHowMany() async throws {
        try await Bench.run { bench in
            for number in 0..<150 {
                try bench.hub.register("d\(100 + number)", tags: number.isMultiple(of: 2) ? ["World"] : ["other"])
            }
            let some = try await bench.reach("World || nobody", "--limit", "100")
            #expect(some.output == "World || nobody: 50 devices of the first 100\n", "\(some)")
            #expect(try await bench.reach("World", "--limit", "20").output == "World: at least 20 devices\n")
            #expect(try await bench.kept == "World: 20 20 false, World || nobody: 50 100 false")
            #expect(
                try await bench.reach("World || nobody", "--limit", "150").output
                    == "World || nobody: 75 devices of 150\n")
            #expect(try await bench.reach("World", "--exact").output == "World: 75 devices\n")
            let wrong = try await bench.reach("World", "--exact", "--limit", "5")
            #expect(wrong.status == 64)
        }
    }

    @Test func whatWasCountedIsShownWithItsAgeAndTheHubIsNotAsked() async throws {
        try await Bench.run { bench in
            try bench.hub.register("d")
            let none = try await bench.reach("World", "--kept")
            #expect(none.status == 65)
            #expect(
                none.errors.contains("nobody has counted it at hub \"news\"")
                    && none.errors.contains("hint: fanfare tag reach 'World' --hub news"))
            _ = try await bench.reach("World")
            try await bench.site.execute(
                "UPDATE push.reach SET counted_at = now() - interval '3 h 2 min', devices = 81214, of = 81214")
            await bench.hub.emulator.stop()
            #expect(try await bench.reach("world", "--kept").output == "World: 81,214 devices, counted 3 h 2 min ago\n")
            try await bench.site.execute("UPDATE push.reach SET counted_at = now() - interval '50 h 30 min'")
            #expect(
                try await bench.reach("World", "--kept").output
                    == "World: 81,214 devices, counted 2 d 2 h ago; it may have changed\n")
        }
    }

    @Test func aKeyWithoutManageIsNamed() async throws {
        try await Bench.run(rights: [.send, .listen]) { bench in
            let ended = try await bench.reach("World")
            #expect(ended.status == 77)
            #expect(ended.errors.contains("a key with the right Manage"), "\(ended.errors)")
            #expect(try await bench.kept == "")
        }
    }

    /// What took minutes to count is shown although it could not be kept.
    @Test func aLoginThatMayNotKeepIsToldSoAfterTheCount() async throws {
        try await Bench.run { bench in
            try bench.hub.register("d")
            let login = "watcher_" + UUID().uuidString.lowercased().prefix(8)
            try await bench.site.execute(
                "CREATE ROLE \(login) LOGIN PASSWORD '\(BuiltProgram.secrets[1])' IN ROLE push_monitor")
            let ended = try await bench.hub.fanfare.run([
                "tag", "reach", "World", "--hub", "news", "--set", "database.url=\(bench.site.url) user=\(login)",
            ])
            #expect(ended.status == 77)
            #expect(ended.output == "World: 1 device\n")
            #expect(ended.errors.contains("push_campaign"), "\(ended.errors)")
            try await bench.site.execute("DROP ROLE \(login)")
        }
    }

    private static func page(_ ids: [String]) -> String {
        let entries = ids.map {
            "<entry><content><AppleRegistrationDescription><RegistrationId>\($0)</RegistrationId><Tags>World,"
                + "$InstallationId:{\($0)}</Tags></AppleRegistrationDescription></content></entry>"
        }
        return "<feed>\(entries.joined())</feed>"
    }

    private func scripted(
        _ script: @escaping @Sendable (ScriptedHub.Request, Int) -> ScriptedHub.Answer,
        _ body: (ScriptedHub, [String], Site) async throws -> Void
    ) async throws {
        let site = try await Site.make()
        try await site.execute("SELECT push.keep_reach('news', 'World', 7, 7, true)")
        try await ScriptedHub.run(script) { hub in
            try await body(hub, ["tag", "reach", "World", "--hub", "news", "--set", "database.url=\(site.url)"], site)
        }
    }

    private func kept(_ site: Site) async throws -> Int64 { try await site.number("(SELECT devices FROM push.reach)") }

    @Test func halfAPageIsAnErrorAndTheCountBeforeStays() async throws {
        try await scripted { request, before in
            let whole = Self.page((1...3).map { "\(before)-\($0)" })
            if before == 0 { return .init(status: 200, headers: ["X-MS-ContinuationToken: next"], body: whole) }
            return .init(status: 200, body: String(whole.prefix(whole.utf8.count / 2)))
        } _: { hub, words, site in
            let ended = try await hub.fanfare.run(words)
            #expect(ended.status == 69, "\(ended)")
            #expect(ended.output == "")
            #expect(ended.errors.contains("is not a whole list"), "\(ended.errors)")
            #expect(ended.errors.contains("; 3 of the first 3 until then"))
            // It asked for fewer and fewer, of the same page.
            let tops = hub.requests.dropFirst().compactMap {
                $0.target.firstMatch(of: /top=([0-9]+)/).map { String($0.1) }
            }
            #expect(tops == ["100", "50", "25", "12", "6", "3", "1"])
            #expect(hub.requests.dropFirst().allSatisfy { $0.target.contains("ContinuationToken=next") })
            #expect(hub.requests.allSatisfy { $0.target.hasPrefix("/h/tags/World/registrations?") })
            #expect(try await kept(site) == 7)
        }
    }

    @Test func aHubThatThrottlesIsWaitedFor() async throws {
        try await scripted { _, before in
            if before < 3 { return .init(status: 429, headers: ["x-ms-retry-after-ms: 1"]) }
            return .init(status: 200, body: Self.page(["a", "b"]))
        } _: { hub, words, site in
            let ended = try await hub.fanfare.run(words)
            #expect(ended.status == 0, "\(ended.errors)")
            #expect(ended.output == "World: 2 devices\n")
            #expect(hub.requests.count == 4)
            #expect(try await kept(site) == 2)
        }
    }

    @Test func aHubThatNeverStopsThrottlingEndsTheCount() async throws {
        try await scripted { _, _ in
            .init(status: 429, headers: ["x-ms-retry-after-ms: 1"])
        } _: { hub, words, site in
            let ended = try await hub.fanfare.run(words)
            #expect(ended.status == 75 && hub.requests.count == 10)
            #expect(try await kept(site) == 7)
        }
    }

    /// Both versions of the service that lack a right, and a key that is wrong.
    @Test(arguments: [
        (403, "", 77),
        (401, "<Error><Code>401</Code><Detail>Manage claim is required for this operation.</Detail></Error>", 77),
        (
            401,
            "<Error><Code>401</Code><Detail>InvalidSignature: The token has an invalid signature.</Detail></Error>", 78
        ),
    ])
    func aMissingRightIsToldFromAWrongKey(status: Int, body: String, exit: Int32) async throws {
        try await scripted { _, _ in
            .init(status: status, body: body)
        } _: { hub, words, site in
            let ended = try await hub.fanfare.run(words)
            #expect(ended.status == exit, "\(ended.errors)")
            #expect(try await kept(site) == 7)
        }
    }

    @Test func aKindThatKeepsNoDevicesAndAnUnknownHubAreNamed() async throws {
        let site = try await Site.make()
        try site.scratch.write(Site.fcmSettings(url: site.url), to: "config.json")
        let ended = try await site.fanfare("tag", "reach", "World", "--hub", "shop")
        #expect(ended.status == 65)
        #expect(ended.errors.contains("cannot count devices: hub \"shop\" keeps no devices"), "\(ended.errors)")
        #expect(try await site.fanfare("tag", "reach", "World", "--hub", "nope").status == 65)
        let wrong = try await site.fanfare("tag", "reach", "a and b", "--hub", "shop")
        #expect(wrong.status == 65 && wrong.errors.contains("not a tag expression"))
    }

    @Test(arguments: [
        (5, 5, true, 0.0, "a: 5 devices"), (1, 1, true, 0, "a: 1 device"), (2, 5, true, 0, "a: 2 devices of 5"),
        (5, 5, false, 0, "a: at least 5 devices"),
        (2, 5, false, 7_320, "a: 2 devices of the first 5, counted 2 h 2 min ago"),
        (0, 0, true, 90_000, "a: 0 devices, counted 1 d 1 h ago; it may have changed"),
    ])
    func aCountIsSaidInWords(devices: Int64, of: Int64, isWhole: Bool, age: Double, words: String) {
        let entry = Reach.Entry(
            hub: "news", expression: "a", devices: devices, of: of, isWhole: isWhole, countedAt: "", age: age)
        #expect(entry.text == words)
    }
}
