import ProgramSupport
import Foundation
import HubEmulator
import Testing

/// `fanfare send` against a hub.
@Suite struct SendTests {
    private let hello = ["send", "--hub", "news", "--tag", "World", "--property", "title=Hello", "--locale", "en"]

    @Test func aPushArrivesInEveryLanguageInOneRequest() async throws {
        try await HubSite.run { site in
            try site.register("phone")
            let ended = try await site.fanfare.run(hello + ["--translation", #"fr={"title": "Bonjour"}"#])
            #expect(ended.status == 0, "\(ended.errors)")
            #expect(ended.output.hasPrefix("accepted by the hub for World, "))
            let entry = try #require(site.emulator.journal().first)
            #expect(entry.body == #"{"title":"Hello","title_English":"Hello","title_French":"Bonjour"}"#)
            #expect(site.emulator.journal().count == 1)
            #expect(
                try site.emulator.inbox(of: "phone", at: HubSite.hub).first?.payload == #"{"aps":{"alert":"Hello"}}"#)
            #expect(ended.output.contains("notification id  \(entry.notification ?? "none")\n"))
            #expect(ended.output.contains("tracking id      \(entry.tracking ?? "none")\n"))
        }
    }

    @Test func theAnswerIsOneDocument() async throws {
        try await HubSite.run { site in
            let document = try await site.fanfare.run(hello + ["--json"]).json([String: Any].self)
            #expect(document["accepted"] as? Bool == true)
            #expect(document["not_tried"] as? Int == 0)
            let request = try #require((document["requests"] as? [[String: Any]])?.first)
            #expect(request["target"] as? String == "World")
            #expect(request["verdict"] as? String == "accepted")
            #expect(request["http"] as? Int == 201)
            #expect(
                request.keys.sorted() == [
                    "because", "error", "hint", "http", "milliseconds", "notification_id", "outcome", "target",
                    "tracking_id", "verdict",
                ])
        }
    }

    @Test func aHubThatLocalisesByTagGetsOneRequestForEachLanguage() async throws {
        try await HubSite.run(#""localization": "tags","#) { site in
            let ended = try await site.fanfare.run(hello + ["--translation", #"fr={"title": "Bonjour"}"#])
            #expect(ended.status == 0)
            #expect(site.emulator.journal().map(\.tags) == ["(World) && locale_en", "(World) && locale_fr"])
        }
    }

    /// One of Google's pages has a smaller limit for topics: what is sent is refused or not, and a dry run says so before.
    @Test(arguments: [("--tag", 2_048, false), ("--tag", 2_049, true), ("--handle", 2_049, false)])
    func aDryRunWarnsOfMoreThanBothOfGooglesPagesAllowToTopics(option: String, bytes: Int, isWarned: Bool) async throws
    {
        let site = try await Site.make(migrated: nil)
        let settings = try Site.fcmSettings(url: site.url, hub: #""tags": "topics", "#)
        let fanfare = BuiltProgram(settings: try site.scratch.write(settings, to: "fcm.json"), scratch: site.scratch)
        let (head, tail) = (#"{"message":{"data":{"k":""#, #""}}}"#)
        let content = head + String(repeating: "x", count: bytes - head.utf8.count - tail.utf8.count) + tail
        let ended = try await fanfare(
            "send", "--hub", "shop", option, "news", "--format", "fcmv1", "--content", content, "--dry-run", "--json")
        #expect(ended.status == 0, "\(ended.errors)")
        let warnings = try #require(try ended.json([String: Any].self)["warnings"] as? [String])
        #expect(warnings.count == (isWarned ? 1 : 0))
        #expect(
            ended.errors.contains("\(bytes) bytes to news: one of Google's pages allows 2048 to topics") == isWarned)
    }

    @Test func aDryRunShowsTheRequestWithoutItsTokenAndSendsNothing() async throws {
        try await HubSite.run { site in
            let ended = try await site.fanfare.run(hello + ["--dry-run"])
            #expect(ended.status == 0)
            let lines = ended.output.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(
                lines[0].firstMatch(of: #/^POST http://127.0.0.1:\d+/breaking-news/messages\?api-version=2020-06$/#)
                    != nil)
            #expect(lines.contains("Authorization: SharedAccessSignature •••"))
            #expect(lines.contains("ServiceBusNotification-Tags: World"))
            #expect(
                ended.output.hasSuffix(
                    "\n\n{\"title\":\"Hello\",\"title_English\":\"Hello\",\"title_French\":\"Hello\"}\n"))
            #expect(!ended.output.contains("sig="))
            let document = try await site.fanfare.run(hello + ["--dry-run", "--json"]).json([String: Any].self)
            let request = try #require((document["requests"] as? [[String: Any]])?.first)
            #expect(request["method"] as? String == "POST")
            #expect((request["headers"] as? [String: String])?["Authorization"] == "SharedAccessSignature •••")
            #expect(site.emulator.journal().isEmpty)
        }
    }

    @Test func everyoneIsAskedForTwice() async throws {
        let everyone = ["send", "--hub", "news", "--broadcast", "--property", "title=Hello"]
        try await HubSite.run { site in
            #expect(try await site.fanfare.run(everyone).status == 64)
            let ended = try await site.fanfare.run(everyone + ["--yes"])
            #expect(ended.status == 65)
            #expect(ended.errors.contains("hubs.news.allowBroadcast"))
            #expect(site.emulator.journal().isEmpty)
        }
        try await HubSite.run(#""allowBroadcast": true,"#) { site in
            #expect(try await site.fanfare.run(everyone + ["--dry-run"]).status == 0)
            let ended = try await site.fanfare.run(everyone + ["--yes"])
            #expect(ended.output.hasPrefix("accepted by the hub for everyone, "))
            #expect(site.emulator.journal().map(\.tags) == [nil])
        }
    }

    /// What the hub does instead of its own answer, the exit status, and words of the complaint.
    private static let troubles: [(Fault, Int32, String)] = [
        (Fault(.nth(1), status: 400), 1, "hub replied 400"),
        (Fault(.nth(1), status: 413), 1, "hub replied 413"),
        (throttled(seconds: 30), 75, "hint: Try again in 30 s, at 2"),
        (Fault(.nth(1), status: 500), 75, "hint: Try again in a minute."),
        (Fault(.nth(1), status: 401), 78, "hint: Check hubs.news.connectionString: the policy's name"),
        (Fault(.nth(1), status: 403), 78, "hint: The hub's tier does not have this, or its quota is used up"),
        (Fault(.nth(1), status: 404), 78, "hint: There is no such hub"),
        (lost, 75, "hint: It may have been sent: no answer came."),
    ]

    private static func throttled(seconds: Int) -> Fault {
        var fault = Fault(.nth(1), status: 429)
        fault.retryAfter = .seconds(seconds)
        return fault
    }

    private static var lost: Fault {
        var fault = Fault(.nth(1), closing: .afterBody)
        fault.taken = true
        return fault
    }

    @Test func everyAnswerHasItsExitStatusAndSaysWhatToDo() async throws {
        try await HubSite.run { site in
            for (fault, status, words) in Self.troubles {
                site.emulator.clearFaults()
                try site.emulator.add(fault)
                let ended = try await site.fanfare.run(hello)
                #expect(ended.status == status, "\(fault)")
                #expect(ended.errors.hasPrefix("fanfare: cannot send to hub \"news\": World: "), "\(ended.errors)")
                #expect(ended.errors.contains(words), "\(ended.errors)")
                #expect(ended.output.isEmpty)
            }
            site.emulator.clearFaults()
            try site.emulator.add(Self.lost)
            let document = try await site.fanfare.run(hello + ["--json"])
            #expect(document.status == 75)
            let requests = try document.json([String: Any].self)["requests"] as? [[String: Any]]
            #expect(requests?.first?["verdict"] as? String == "unknown")
        }
    }

    @Test func aHubThatIsNotThereIsOutOfReach() async throws {
        var fanfare: BuiltProgram?
        try await HubSite.run { fanfare = $0.fanfare }
        let ended = try await #require(fanfare).run(hello)
        #expect(ended.status == 69)
        #expect(ended.errors.contains("hint: Nothing has left this machine."))
    }

    @Test func aRefusedKeyGivesWayToTheSecondOne() async throws {
        try await HubSite.run(key: "b3RoZXI=", secondary: BuiltProgram.secrets[0]) { site in
            let ended = try await site.fanfare.run(hello)
            #expect(ended.status == 0, "\(ended.errors)")
            #expect(ended.errors.contains("the hub refuses the key in use; trying the other one"))
            #expect(site.emulator.journal().map(\.status) == [401, 201])
        }
        try await HubSite.run(key: "b3RoZXI=", secondary: "bmVpdGhlcg==") { site in
            let ended = try await site.fanfare.run(hello)
            #expect(ended.status == 78)
            #expect(site.emulator.journal().map(\.status) == [401, 401])
        }
    }

    @Test func afterAFaultOfTheHubTheOtherLanguagesAreNotTried() async throws {
        try await HubSite.run(#""localization": "tags","#) { site in
            try site.emulator.add(Self.throttled(seconds: 9))
            let ended = try await site.fanfare.run(hello + ["--translation", #"fr={"title": "Bonjour"}"#])
            #expect(ended.status == 75)
            #expect(ended.errors.contains("1 request not tried"))
            #expect(site.emulator.journal().count == 1)
            site.emulator.clearFaults()
            try site.emulator.add(Fault(.nth(1), status: 400))
            let second = try await site.fanfare.run(hello + ["--translation", #"fr={"title": "Bonjour"}"#])
            #expect(second.status == 1)
            #expect(second.output.hasPrefix("accepted by the hub for (World) && locale_fr, "))
        }
    }

    @Test func aTestSendTellsWhatEachPlatformAnswered() async throws {
        try await HubSite.run { site in
            try site.register("phone", handle: "AA")
            let took = try await site.fanfare.run(hello + ["--test"])
            #expect(took.status == 0, "\(took.errors)")
            #expect(took.output.contains("\nthe platforms took 1 and refused 0\n\nPLATFORM "), "\(took.output)")
            #expect(took.output.contains("  AA\n"))
            #expect(site.emulator.journal().first?.kind == .test)
            #expect(site.emulator.journal().first?.clientTracking?.isEmpty == false)
            let long = "title=" + String(repeating: "x", count: 5000)
            let refused = try await site.fanfare(
                "send", "--hub", "news", "--tag", "World", "--locale", "en", "--property", long, "--test", "--json")
            #expect(refused.status == 1)
            let requests = try refused.json([String: Any].self)["requests"] as? [[String: Any]]
            let outcome = try #require(requests?.first?["outcome"] as? [String: Any])
            #expect(outcome["failure"] as? Int == 1)
            let device = try #require((outcome["devices"] as? [[String: String]])?.first)
            #expect(device["handle"] == "AA")
            #expect(device["outcome"]?.contains("larger") == true)
        }
    }

    @Test func aTestSendThatReachesNobodySaysSo() async throws {
        try await HubSite.run { site in
            let ended = try await site.fanfare.run(hello + ["--test"])
            #expect(ended.status == 0)
            #expect(ended.output.hasSuffix("the platforms took 0 and refused 0\nno device has this tag and format\n"))
        }
    }

    @Test func handlesAreReachedDirectlyOneOrMany() async throws {
        let apple = ["send", "--hub", "news", "--format", "apple", "--content", #"{"aps":{"alert":"Hi"}}"#]
        try await HubSite.run { site in
            let one = try await site.fanfare.run(apple + ["--handle", "AA"])
            #expect(one.status == 0, "\(one.errors)")
            #expect(one.output.hasPrefix("accepted by the hub for 1 handle, "))
            let two = try await site.fanfare.run(apple + ["--handle", "AA", "--handle", "BB"])
            #expect(two.status == 0, "\(two.errors)")
            #expect(site.emulator.journal().map(\.kind) == [.direct, .batch])
            #expect(try site.emulator.inbox(ofHandle: "AA", at: HubSite.hub).count == 2)
            #expect(try site.emulator.inbox(ofHandle: "BB", at: HubSite.hub).count == 1)
            let shown = try await site.fanfare.run(apple + ["--handle", "AA", "--handle", "BB", "--dry-run"])
            #expect(shown.output.contains("/messages/$batch?"))
            #expect(shown.output.contains(#"["AA","BB"]"#), "\(shown.output)")
            let template = try await site.fanfare(
                "send", "--hub", "news", "--handle", "AA", "--property", "title=Hi")
            #expect(template.status == 65 || template.status == 64)
        }
    }

    @Test func aContentIsReadFromAFile() async throws {
        try await HubSite.run { site in
            let file = try site.write(#"{"title": "from a file"}"#, to: "content.json")
            let ended = try await site.fanfare("send", "--hub", "news", "--tag", "a || b", "--content", "@\(file)")
            #expect(ended.status == 0)
            #expect(site.emulator.journal().first?.body == #"{"title": "from a file"}"#)
            #expect(site.emulator.journal().first?.tags == "a || b")
            let none = try await site.fanfare("send", "--hub", "news", "--tag", "a", "--content", "@/nowhere")
            #expect(none.status == 65)
        }
    }

    @Test func xmlForWindowsNeedsNoQuoting() async throws {
        try await HubSite.run { site in
            let ended = try await site.fanfare(
                "send", "--hub", "news", "--tag", "a", "--format", "windows", "--header", "X-WNS-Type=wns/toast",
                "--content", #"<toast launch="a&amp;b"/>"#)
            #expect(ended.status == 0, "\(ended.errors)")
            #expect(site.emulator.journal().first?.body == #"<toast launch="a&amp;b"/>"#)
        }
    }

    @Test(arguments: [
        ["--tag", "a &&", "--property", "a=b"], ["--tag", "a", "--content", "{"],
        ["--tag", "a", "--locale", "de", "--property", "a=b"],
        ["--tag", "a", "--property", "a=b", "--header", "Authorization=x"],
        ["--tag", "a", "--format", "apple", "--content", "[]"],
        ["--handle", "00", "--test", "--format", "apple", "--content", #"{"aps": {"alert": "x"}}"#],
    ])
    func whatIsNoMessageIsBadInputAndNeverLeaves(options: [String]) async throws {
        try await HubSite.run { site in
            let ended = try await site.fanfare.run(["send", "--hub", "news"] + options)
            #expect(ended.status == 65, "\(ended.errors)")
            #expect(site.emulator.journal().isEmpty)
        }
    }

    @Test(arguments: [
        [], ["--tag", "a"], ["--property", "a=b"], ["--tag", "a", "--broadcast", "--yes", "--property", "a=b"],
        ["--tag", "a", "--handle", "00", "--format", "apple", "--content", "{}"],
        ["--tag", "a", "--property", "a=b", "--property", "A=c"], ["--tag", "a", "--format", "sms", "--content", "{}"],
        ["--tag", "a", "--format", "apple", "--property", "a=b"],
        ["--tag", "a", "--content", "{}", "--test", "--dry-run"],
    ])
    func optionsThatMakeNoSendAreWrongUsage(options: [String]) async throws {
        let ended = try await BuiltProgram(settings: nil).run(["send", "--hub", "news"] + options)
        #expect(ended.status == 64, "\(ended.errors)")
    }

    @Test func anUnknownHubIsBadInput() async throws {
        try await HubSite.run { site in
            let ended = try await site.fanfare("send", "--hub", "nws", "--tag", "a", "--property", "a=b")
            #expect(ended.status == 65)
            #expect(ended.errors.hasSuffix("hint: Did you mean news?\n"))
        }
    }
}
