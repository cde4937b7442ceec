import Foundation
import HTTPServer
import PushModel
import Testing

@testable import HubEmulator

/// Sends to APNs: what is taken, and what is refused with which reason.
@Suite struct APNsRoutesTests {
    @Test func aHandleReachesItsPhone() async throws {
        try await APNsFixture.run { fixture in
            try fixture.phone("alice", "AB01", tags: ["lang:fr"])
            let id = "eabeae54-14a8-11e5-b60b-1697f925ec7b"
            let answer = try fixture.ask {
                $0.path = "/3/device/ab01"
                $0.set("apns-id", id)
                $0.set("apns-priority", "5")
            }
            #expect(answer == .init(status: 200, reason: nil, timestamp: nil, id: id, uniqueID: nil))
            #expect(try fixture.texts(of: "alice") == ["Hello"])
            let entry = try #require(fixture.emulator.journal(hub: "ios").first)
            #expect(entry.kind == .direct && entry.taken && entry.handles == 1 && entry.reached == 1)
            #expect(entry.status == 200 && entry.notification == id && entry.format == "apple")
            let push = try #require(try fixture.emulator.inbox(ofHandle: "ab01", at: "ios").first)
            #expect(push.payload == #"{"aps":{"alert":"Hello"}}"# && push.headers?["apns-priority"] == "5")
            #expect(fixture.emulator.warnings.isEmpty)
        }
    }

    @Test func capitalsDoNotCount() async throws {
        try await APNsFixture.run { fixture in
            try fixture.phone("alice", "ab01")
            try fixture.expect("200 -") { $0.path = "/3/device/AB01" }
            #expect(try fixture.texts(of: "alice") == ["Hello"])
            #expect(try fixture.emulator.handles(at: "ios") == ["ab01"])
        }
    }

    /// It may be a real phone's.
    @Test func aHandleThatNobodyHasIsTaken() async throws {
        try await APNsFixture.run { fixture in
            let answer = try #require(try fixture.ask())
            #expect(answer.status == 200 && answer.id.map(APNsHeaders.isUUID) == true)
            #expect(try fixture.emulator.inbox(ofHandle: APNsFixture.handle, at: "ios").count == 1)
        }
    }

    @Test(arguments: [
        ("GET", "/3/device/ab01", "405 MethodNotAllowed"), ("POST", "/3/device/", "400 MissingDeviceToken"),
        ("POST", "/3/device", "400 MissingDeviceToken"), ("POST", "/3/phone/ab01", "404 BadPath"),
        ("POST", "/3/device/ab01/more", "404 BadPath"), ("POST", "/3/device/zz", "400 BadDeviceToken"),
        ("POST", "/3/device/abc", "400 BadDeviceToken"),
        ("POST", "/3/device/" + String(repeating: "ab", count: 100), "200 -"),
        ("POST", "/3/device/" + String(repeating: "ab", count: 101), "400 BadDeviceToken"),
    ])
    func thePathIsChecked(method: String, path: String, result: String) async throws {
        try await APNsFixture.run { fixture in
            try fixture.expect(result) {
                $0.method = try #require(.init(method))
                $0.path = path
            }
            #expect(
                fixture.emulator.journal().map(\.refusal) == [result == "200 -" ? nil : String(result.dropFirst(4))])
        }
    }

    private static let collapse = "apns-collapse-id"

    @Test(
        arguments: [
            ("apns-topic", nil, "400 MissingTopic"), ("apns-topic", "", "400 MissingTopic"),
            ("apns-topic", "com.example.MyApp.voip", "400 BadTopic"), ("apns-topic", "no topic", "400 BadTopic"),
            ("apns-topic", "com.example.Other", "400 TopicDisallowed"),
            ("apns-push-type", "alarm", "400 InvalidPushType"),
            ("apns-push-type", "voip", "400 BadTopic"), ("apns-push-type", nil, "200 -"),
            ("apns-push-type", "background", "400 BadPriority"), ("apns-priority", "1", "200 -"),
            ("apns-priority", "5", "200 -"), ("apns-priority", "7", "400 BadPriority"),
            ("apns-expiration", "0", "200 -"), ("apns-expiration", "1700003600", "200 -"),
            ("apns-expiration", "1.5", "400 BadExpirationDate"), ("apns-expiration", "soon", "400 BadExpirationDate"),
            ("apns-expiration", "+1", "400 BadExpirationDate"), ("apns-expiration", "-1", "400 BadExpirationDate"),
            (collapse, String(repeating: "x", count: 64), "200 -"),
            (collapse, String(repeating: "x", count: 65), "400 BadCollapseId"),
            (collapse, String(repeating: "é", count: 33), "400 BadCollapseId"),
            ("apns-id", "abc", "400 BadMessageId"), ("apns-id", "EABEAE54-14A8-11E5-B60B-1697F925EC7B", "200 -"),
            ("apns-id", "eabeae54-14a8-11e5-b60b-1697f925ec7x", "400 BadMessageId"),
        ] as [(String, String?, String)])
    func headersAreChecked(name: String, value: String?, result: String) async throws {
        try await APNsFixture.run { fixture in try fixture.expect(result) { $0.set(name, value) } }
    }

    @Test(arguments: ["apns-topic", "apns-push-type", "apns-id", "apns-priority", "authorization"])
    func aHeaderStandsOnce(name: String) async throws {
        try await APNsFixture.run { fixture in
            let values = ["apns-id": "eabeae54-14a8-11e5-b60b-1697f925ec7b", "apns-priority": "10"]
            try fixture.expect("400 DuplicateHeaders") { request in
                let value = values[name] ?? request.headers.first { $0.0 == name }?.1 ?? "bearer x"
                request.headers += name == "authorization" ? [(name, value)] : [(name, value), (name, value)]
            }
        }
    }

    @Test func aBackgroundPushHasPriority5() async throws {
        try await APNsFixture.run { fixture in
            for (priority, result) in [("5", "200 -"), ("10", "400 BadPriority"), ("1", "400 BadPriority")] {
                try fixture.expect(result) {
                    $0.set("apns-push-type", "background")
                    $0.set("apns-priority", priority)
                    $0.body = #"{"aps":{"content-available":1}}"#
                }
            }
        }
    }

    @Test func everyPushTypeHasItsTopic() async throws {
        let file = Program.root.appending(path: "Tests/Vectors/fcm-apns/apns-requests.json")
        let vectors = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        let suffixes = try #require(vectors["push_type_topic_suffix"] as? [String: Any])
        #expect(Set(suffixes.keys) == Set(ApplePushType.allCases.map(\.rawValue)))
        try await APNsFixture.run { fixture in
            for (type, suffix) in suffixes {
                // Apple has no rule for `mdm` with a token.
                guard let suffix = suffix as? String else { continue }
                try fixture.expect("200 -", about: "\(type)") {
                    $0.set("apns-push-type", type)
                    $0.set("apns-priority", "5")
                    $0.set("apns-topic", "com.example.MyApp\(suffix)")
                }
            }
        }
    }

    @Test(
        arguments: [
            (nil, 4_096, "200 -"), (nil, 4_097, "413 PayloadTooLarge"), ("alert", 4_096, "200 -"),
            ("alert", 4_097, "413 PayloadTooLarge"), ("voip", 5_120, "200 -"), ("voip", 5_121, "413 PayloadTooLarge"),
            ("alert", 70_000, "413 PayloadTooLarge"),
        ] as [(String?, Int, String)])
    func aPayloadHasALimit(type: String?, size: Int, result: String) async throws {
        try await APNsFixture.run { fixture in
            let frame = #"{"aps":{"alert":""}}"#
            try fixture.expect(result) {
                $0.set("apns-push-type", type)
                if type == "voip" { $0.set("apns-topic", "com.example.MyApp.voip") }
                $0.body = frame.replacing(
                    #""""#, with: "\"\(String(repeating: "x", count: size - frame.utf8.count))\"")
            }
            let entry = try #require(fixture.emulator.journal().first)
            #expect(entry.taken == (result == "200 -"))
        }
    }

    @Test(arguments: ["", "{}", "[]", "{", "text"])
    func aPayloadIsAnObject(body: String) async throws {
        try await APNsFixture.run { fixture in try fixture.expect("400 PayloadEmpty") { $0.body = body } }
    }

    /// As APNs does, it takes what phones do not show.
    @Test func whatPhonesDoNotShowIsWarnedOf() async throws {
        try await APNsFixture.run { fixture in
            try fixture.expect("200 -") { $0.body = #"{"aps":{"alert":7}}"# }
            #expect(fixture.emulator.warnings.map(\.kind) == [.payloadShape])
        }
    }

    @Test(arguments: [
        ("00", "400 BadDeviceToken"), ("00aa", "200 -"), ("dead0400", "400 BadDeviceToken"),
        ("dead1400", "400 DeviceTokenNotForTopic"),
        ("DEAD0410ab", "410 Unregistered"),
        ("dead1410", "410 ExpiredToken"), ("dead0429", "429 TooManyRequests"), ("dead0500", "500 InternalServerError"),
        ("dead0503", "503 ServiceUnavailable"), ("dead1503", "503 Shutdown"), ("5a4db0c5ab", "400 BadDeviceToken"),
    ])
    func aHandleChoosesTheAnswer(handle: String, result: String) async throws {
        try await APNsFixture.run { fixture in
            let answer = try #require(try fixture.ask { $0.path = "/3/device/\(handle)" })
            #expect(answer.description == result)
            #expect(answer.timestamp == (answer.status == 410 ? 1_800_000_000_000 : nil))
            #expect(answer.id.map(APNsHeaders.isUUID) == true)
        }
    }

    @Test func aPhoneThatIsGoneSaysSinceWhen() async throws {
        try await APNsFixture.run { fixture in
            try fixture.phone("alice", "ab01")
            try fixture.phone("bob", "ab02")
            try fixture.emulator.advance(by: 100)
            try fixture.phone("alice", "ab03")
            var bob = Installation("bob", pushChannel: .handle("ab02"))
            bob.expirationTime = "2027-01-15T08:03:20Z"
            try fixture.emulator.register(bob, at: "ios")
            try fixture.emulator.advance(by: 900)
            let gone = try fixture.ask { $0.path = "/3/device/ab01" }
            #expect(gone?.description == "410 Unregistered" && gone?.timestamp == 1_800_000_100_000)
            let expired = try fixture.ask { $0.path = "/3/device/ab02" }
            #expect(expired?.description == "410 ExpiredToken" && expired?.timestamp == 1_800_000_200_000)
            try fixture.expect("200 -") { $0.path = "/3/device/ab03" }
            // Another phone has the token now.
            try fixture.phone("carol", "ab01")
            try fixture.expect("200 -") { $0.path = "/3/device/ab01" }
            #expect(try fixture.texts(of: "bob").isEmpty)
        }
    }

    @Test func productionAndSandboxAreApart() async throws {
        try await APNsFixture.run { fixture in
            try fixture.phone("dev", "ab01", at: "ios-dev")
            try fixture.phone("tv", "ab02", at: "tv")
            let sandbox = "bearer \(try fixture.token("ios-dev"))"
            let path = "/3/device/ab01"
            try fixture.expect("400 BadDeviceToken") { $0.path = path }
            try fixture.expect("400 DeviceTokenNotForTopic") { $0.path = "/3/device/ab02" }
            let taken = try #require(
                try fixture.ask {
                    $0.path = path
                    $0.authorization = sandbox
                })
            #expect(taken.status == 200 && taken.uniqueID != nil)
            #expect(try fixture.texts(of: "dev", at: "ios-dev") == ["Hello"])
            try fixture.expect("200 -") {
                $0.path = "/3/device/5a4db0c5ab"
                $0.authorization = sandbox
            }
            for (host, token, result) in [
                ("sandbox.localhost:8443", "ios", "403 BadEnvironmentKeyIdInToken"),
                ("api.push.apple.com", "ios-dev", "403 BadEnvironmentKeyIdInToken"),
                ("api.sandbox.push.apple.com", "ios-dev", "200 -"), ("production.localhost", "ios", "200 -"),
            ] {
                try fixture.expect(result, about: "\(host)") {
                    $0.authority = host
                    $0.authorization = "bearer \(try fixture.token(token))"
                }
            }
        }
    }

    @Test func phonesOfAPNsHaveHandlesAlone() async throws {
        try await APNsFixture.run { fixture in
            for installation in [
                Installation("a", pushChannel: .handle("no hex")),
                Installation("a", platform: .fcmV1, pushChannel: .handle("ab")),
                Installation("a", pushChannel: .handle("ab"), templates: ["t": "{}"]),
                Installation("a", pushChannel: .handle("ab"), topics: ["Tech"]),
            ] {
                #expect(throws: EmulatorError.self) { try fixture.emulator.register(installation, at: "ios") }
            }
        }
    }

    @Test func aPageSendsToAPhone() async throws {
        try await APNsFixture.run { fixture in
            try fixture.phone("alice", "ab01")
            func send(_ target: String, _ body: String) async throws -> Client.Reply {
                try await fixture.hub.exchange(
                    fixture.hub.request(
                        "POST", "/_emulator/page/send", token: "",
                        headers: ["Content-Type": "application/x-www-form-urlencoded"],
                        body: "hub=ios&tags=\(target)&body=\(body.urlEncoded)"))
            }
            #expect(try await send("alice", #"{"aps":{"alert":"Hi"}}"#).status == 303)
            #expect(try await send("ab01", #"{"aps":{"content-available":1}}"#).status == 303)
            #expect(try await send("nobody", "{}").status == 400)
            #expect(try fixture.texts(of: "alice") == ["Hi", nil])
            #expect(fixture.emulator.journal().map(\.status) == [200, 200])
            let page = try await fixture.hub.exchange(fixture.hub.request("GET", "/", token: "", headers: [:]))
            #expect(page.body.contains("alice") && page.body.contains("Hi"))
        }
    }

    @Test func namesAreChecked() throws {
        func check(_ settings: EmulatorSettings) -> String? {
            do {
                _ = try HubEmulator(settings)
                return nil
            } catch { return error.description }
        }
        var settings = EmulatorSettings(hubs: [.init("3")])
        #expect(check(settings) == nil)
        settings.apnsSenders = [.init("ios")]
        #expect(check(settings)?.contains("needs TLS") == true)
        settings.tls = .init()
        #expect(check(settings)?.contains("APNs has addresses there") == true)
        settings.hubs = [.init("ios")]
        #expect(check(settings)?.contains("two hubs") == true)
        settings.hubs = []
        settings.apnsSenders = [.init("ios", keys: [])]
        #expect(check(settings)?.contains("no key") == true)
        let key = EmulatorSettings.APNsSender.Key()
        settings.apnsSenders = [.init("a", keys: [key]), .init("b", teamID: "ANOTHERONE", keys: [key])]
        #expect(check(settings)?.contains("another key or team") == true)
        settings.apnsSenders = [.init("a", keys: [key]), .init("b", environment: .sandbox, keys: [key])]
        #expect(check(settings) == nil)
    }
}
