import Foundation
import Testing

@testable import HubEmulator

/// Sends to tokens and topics over real sockets.
@Suite struct FCMRoutesTests {
    private static let strings =
        #"{"en":{"welcome_title":"Welcome, %1$s!","WELCOME":"Welcome, %@!"},"fr":{"welcome_title":"Bienvenue, %1$s !"}}"#

    private func withStrings(_ settings: inout EmulatorSettings) throws {
        settings.strings = try StringsFile(json: Array(Self.strings.utf8), file: "strings.json")
    }

    @Test func aTokenReachesItsPhone() async throws {
        try await FCMFixture.run { fixture in
            try fixture.phone("alice")
            let reply = try await fixture.send(
                #"{"token":"alice-token","notification":{"title":"T","body":"B"}}"#)
            #expect(reply.status == 200)
            let name = try #require(try reply.json["name"] as? String)
            #expect(name.hasPrefix("projects/shop-emulator/messages/0:"))
            #expect(try fixture.texts(of: "alice") == ["T | B"])
            let entry = try #require(fixture.emulator.journal(hub: "shop").first)
            #expect(entry.kind == .direct && entry.taken && entry.handles == 1 && entry.reached == 1)
            #expect(entry.status == 200 && entry.notification.map(name.hasSuffix) == true && entry.format == "fcmv1")
            let push = try #require(try fixture.emulator.inbox(ofHandle: "alice-token", at: "shop").first)
            #expect(push.payload == #"{"message":{"notification":{"title":"T","body":"B"}}}"#)
            #expect(push.handle == "alice-token" && push.number == entry.number)
        }
    }

    /// As a direct send to a handle that no device has.
    @Test func aTokenThatNobodyHasIsTaken() async throws {
        try await FCMFixture.run { fixture in
            for message in [
                #"{"token":"stranger","notification":{"body":"B"}}"#,
                #"{"fid":"stranger","notification":{"body":"F"}}"#,
            ] {
                let reply = try await fixture.send(message)
                #expect(reply.status == 200)
            }
            #expect(try fixture.emulator.handles(at: "shop") == ["fid:stranger", "stranger"])
            #expect(try fixture.emulator.inbox(ofHandle: "stranger", at: "shop").map(\.alert?.body) == ["B"])
        }
    }

    @Test func aTopicReachesThosePhonesThatHaveIt() async throws {
        try await FCMFixture.run { fixture in
            try fixture.phone("alice", topics: ["Tech", "News"])
            try fixture.phone("bob", .apns, topics: ["Tech"])
            try fixture.phone("carol", .browser, topics: ["tech"])
            #expect(try await fixture.send(#"{"topic":"Tech","notification":{"body":"1"}}"#).status == 200)
            let condition = "'Tech' in topics && !('News' in topics)"
            #expect(try await fixture.send(#"{"condition":"\#(condition)","notification":{"body":"2"}}"#).status == 200)
            #expect(try fixture.texts(of: "alice") == ["1"])
            #expect(try fixture.texts(of: "bob") == ["1", "2"])
            #expect(try fixture.texts(of: "carol").isEmpty)
            let entries = fixture.emulator.journal(hub: "shop")
            #expect(entries.map(\.tags) == ["Tech", condition] && entries.map(\.reached) == [2, 1])
            #expect(entries.map(\.kind) == [.send, .send])
            #expect(entries[0].notification?.allSatisfy(\.isNumber) == true)
        }
    }

    /// The example of issue 38: two phones show one push in their languages.
    @Test func locKeysAreShownInTheLanguageOfThePhone() async throws {
        let strings = try StringsFile(json: Array(Self.strings.utf8), file: "strings.json")
        try await FCMFixture.run({ $0.strings = strings }) { fixture in
            try fixture.phone("alice", topics: ["Tech"], language: "en-GB")
            try fixture.phone("bob", topics: ["Tech"], language: "fr")
            try fixture.phone("carol", .apns, topics: ["Tech"], language: "en")
            let reply = try await fixture.send(
                #"{"topic":"Tech","android":{"notification":{"title_loc_key":"welcome_title","title_loc_args":["Alice"]}},"#
                    + #""apns":{"payload":{"aps":{"alert":{"title-loc-key":"WELCOME","title-loc-args":["Alice"]}}}}}"#)
            #expect(reply.status == 200)
            #expect(try fixture.texts(of: "alice") == ["Welcome, Alice!"])
            #expect(try fixture.texts(of: "bob") == ["Bienvenue, Alice !"])
            #expect(try fixture.texts(of: "carol") == ["Welcome, Alice!"])
            #expect(fixture.emulator.warnings.isEmpty)
            let page = try await fixture.hub.exchange(fixture.hub.request("GET", "/?hub=shop", token: "", headers: [:]))
            #expect(page.body.contains("Bienvenue, Alice !") && page.body.contains("Welcome, Alice!"))
            let report = try await fixture.hub.exchange(
                fixture.hub.request("GET", "/_emulator/journal/1", token: "", headers: [:]))
            #expect(report.body.contains("Bienvenue, Alice !"))
        }
    }

    @Test func notificationHubsPhonesLookUpTheirKeysToo() async throws {
        let strings = try StringsFile(json: Array(Self.strings.utf8), file: "strings.json")
        try await EmulatorFixture.run({ $0.strings = strings }) { fixture in
            try fixture.emulator.register(
                Installation("bob", platform: .fcmV1, pushChannel: .handle("x"), tags: ["World", "lang:fr"]), at: "news"
            )
            let body =
                #"{"message":{"android":{"notification":{"title_loc_key":"welcome_title","title_loc_args":["Bob"]}}}}"#
            #expect(try await fixture.exchange(fixture.send(to: "World", body, format: "fcmv1")).status == 201)
            #expect(try fixture.emulator.inbox(of: "bob", at: "news").map(\.alert?.title) == ["Bienvenue, Bob !"])
        }
    }

    @Test func aTrialIsCheckedAndNotDelivered() async throws {
        try await FCMFixture.run { fixture in
            try fixture.phone("alice")
            let reply = try await fixture.send(#"{"token":"alice-token","notification":{"body":"B"}}"#, isTrial: true)
            #expect(try reply.json["name"] as? String == "projects/shop-emulator/messages/fake_message_id")
            #expect(try fixture.texts(of: "alice").isEmpty)
            let refused = try await fixture.send(#"{"token":"invalid-x"}"#, isTrial: true)
            #expect(try refused.fcmError == "400 INVALID_ARGUMENT INVALID_ARGUMENT message.token")
            let entries = fixture.emulator.journal(hub: "shop")
            #expect(entries.map(\.kind) == [.trial, .trial] && entries.map(\.taken) == [false, false])
            #expect(SendLine(entries[0]).text.hasSuffix("(1 handle)  trial"))
        }
    }

    @Test(arguments: [
        ("gone-1", "404 NOT_FOUND UNREGISTERED"), ("invalid-1", "400 INVALID_ARGUMENT INVALID_ARGUMENT message.token"),
        ("throttle-1", "429 RESOURCE_EXHAUSTED QUOTA_EXCEEDED"),
        ("mismatch-1", "403 PERMISSION_DENIED SENDER_ID_MISMATCH"),
        ("unavailable-1", "503 UNAVAILABLE UNAVAILABLE"),
        ("a b", "400 INVALID_ARGUMENT INVALID_ARGUMENT message.token"),
    ])
    func aTokenHasTheAnswerOfItsBeginning(token: String, error: String) async throws {
        try await FCMFixture.run { fixture in
            let reply = try await fixture.send(#"{"token":"\#(token)","notification":{"body":"B"}}"#)
            #expect(try reply.fcmError == error)
            let entry = try #require(fixture.emulator.journal().first)
            #expect(!entry.taken && entry.status == reply.status && entry.refusal != nil)
        }
    }

    @Test func theDetailsOfAThrottledPhoneNameTheDevice() async throws {
        try await FCMFixture.run { fixture in
            let body = try await fixture.send(#"{"token":"throttle-1"}"#).body
            #expect(body.contains("google.rpc.QuotaFailure") && body.contains(#""subject":"device""#))
        }
    }

    @Test func aTokenIsGoneWhenItsPhoneIsRemovedOrHasAnother() async throws {
        try await FCMFixture.run { fixture in
            func status(_ token: String) async throws -> Int {
                try await fixture.send(#"{"token":"\#(token)","notification":{"body":"B"}}"#).status
            }
            try fixture.phone("alice")
            #expect(try await status("alice-token") == 200)
            try fixture.emulator.register(
                Installation("alice", platform: .fcmV1, pushChannel: .handle("second")), at: "shop")
            #expect(try await status("alice-token") == 404)
            #expect(try await status("second") == 200)
            let removed = try await fixture.hub.exchange(
                fixture.hub.request("DELETE", "/_emulator/devices/alice?hub=shop", token: "", headers: [:]))
            #expect(removed.status == 204)
            #expect(try await status("second") == 404)
            try fixture.phone("alice")
            #expect(try await status("alice-token") == 200)
            var expired = Installation("bob", platform: .fcmV1, pushChannel: .handle("bob-token"))
            expired.expirationTime = "2020-01-01T00:00:00Z"
            try fixture.emulator.register(expired, at: "shop")
            #expect(try await status("bob-token") == 404)
        }
    }

    @Test func aRefusalHasTheFieldAndFCMsCode() async throws {
        try await FCMFixture.run { fixture in
            let reply = try await fixture.send(#"{"token":"a","android":{"ttl":"3600"}}"#)
            #expect(try reply.fcmError == "400 INVALID_ARGUMENT INVALID_ARGUMENT message.android.ttl")
            #expect(reply.body.contains("type.googleapis.com/google.firebase.fcm.v1.FcmError"))
            #expect(reply.body.contains("type.googleapis.com/google.rpc.BadRequest"))
            let large = try await fixture.send(
                #"{"token":"a","data":{"k":"\#(String(repeating: "x", count: 70_000))"}}"#)
            #expect(try large.fcmError.hasPrefix("400 INVALID_ARGUMENT INVALID_ARGUMENT"))
        }
    }

    /// What no client would send is refused, and the emulator serves on.
    @Test(arguments: [
        "\u{FFFD}", "{", "[[[[", #"{"message":null}"#, #"{"message":{"token":null}}"#, #"{"message":{"token":"a\nb"}}"#,
        #"{"message":{"token":"é"}}"#, #"{"message":{"token":"\#(String(repeating: "t", count: 4_097))"}}"#,
        #"{"message":{"condition":""}}"#, #"{"message":{"topic":"x","data":null}}"#,
        #"{"message":{"token":"a","android":{"notification":{"body_loc_key":"k","body_loc_args":[null]}}}}"#,
        String(repeating: "[", count: 5_000), #"{"message":\#(String(repeating: #"{"a":"#, count: 200))1"#,
    ])
    func hostileBodiesAreRefused(body: String) async throws {
        try await FCMFixture.run { fixture in
            let reply = try await fixture.post("/v1/projects/shop-emulator/messages:send", body)
            #expect(try reply.fcmError.hasPrefix("400 INVALID_ARGUMENT INVALID_ARGUMENT"), "\(reply.body)")
            for address in ["/token", "/iid/v1:batchAdd"] {
                let other = try await fixture.post(address, body, headers: ["access_token_auth": "true"])
                #expect(other.status == 400)
            }
            #expect(try await fixture.send(#"{"token":"a"}"#).status == 200)
        }
    }

    @Test func eventsHavePushesAndSends() async throws {
        try await FCMFixture.run { fixture in
            try fixture.phone("alice", topics: ["Tech"])
            let client = try fixture.hub.client()
            try await client.write("GET /_emulator/events HTTP/1.1\r\nHost: \(fixture.hub.host)\r\n\r\n")
            var text = ""
            while !text.contains("event: hello") { text += String(decoding: try await client.some(), as: UTF8.self) }
            _ = try await fixture.send(#"{"topic":"Tech","notification":{"body":"B"}}"#)
            while !text.contains("event: send") { text += String(decoding: try await client.some(), as: UTF8.self) }
            #expect(text.contains(#""alert":{"body":"B"}"#) && text.contains(#""device":"alice""#))
        }
    }

    @Test func aSenderIsNoNotificationHub() async throws {
        try await FCMFixture.run { fixture in
            #expect(try await fixture.hub.exchange(fixture.hub.request("POST", "/shop/messages")).status == 404)
            #expect(try await fixture.post("/v1/projects/shop-emulator/messages", "{}").status == 404)
            let encoded = try await fixture.post(
                "/v1/projects/shop-emulator/messages%3Asend", #"{"message":{"token":"a"}}"#)
            #expect(encoded.status == 200)
        }
    }

    @Test func theCurlCommandHidesItsToken() async throws {
        try await FCMFixture.run { fixture in
            _ = try await fixture.send(#"{"token":"a"}"#)
            let report = try await fixture.hub.exchange(
                fixture.hub.request("GET", "/_emulator/journal/1", token: "", headers: [:]))
            let curl = try #require(try report.json["curl"] as? String)
            #expect(
                curl.contains("/v1/projects/shop-emulator/messages:send'")
                    && curl.contains(#"-H "Authorization: $TOKEN""#))
            #expect(!report.body.contains("ya29"))
        }
    }

    @Test func whoMissedATopicIsExplained() async throws {
        try await FCMFixture.run { fixture in
            try fixture.phone("alice", topics: ["Tech"])
            try fixture.phone("bob", topics: ["News"])
            let condition = "'Tech' in topics && 'Sport' in topics"
            _ = try await fixture.send(#"{"topic":"Tech","notification":{"body":"1"}}"#)
            _ = try await fixture.send(#"{"condition":"\#(condition)","notification":{"body":"1"}}"#)
            func missed(_ number: Int) async throws -> [String] {
                let report = try await fixture.hub.exchange(
                    fixture.hub.request("GET", "/_emulator/journal/\(number)", token: "", headers: [:]))
                let missed = try report.json["missed"] as? [[String: String]] ?? []
                return missed.map { "\($0["device"] ?? ""): \($0["reason"] ?? "")" }
            }
            #expect(try await missed(1) == ["bob: lacks Tech"])
            #expect(
                try await missed(2) == [
                    "alice: has Tech and not Sport", "bob: has no topic of the condition and not Tech, Sport",
                ])
            let reach = try await fixture.hub.exchange(
                fixture.hub.request("GET", "/_emulator/reach?hub=shop&tags=tech", token: "", headers: [:]))
            #expect(reach.body.contains(#""count":0"#) && reach.body.contains(#"{"similar":"Tech","tag":"tech"}"#))
        }
    }

    @Test func waitsAndFiltersKnowTopics() async throws {
        try await FCMFixture.run { fixture in
            try fixture.phone("alice", topics: ["Tech"])
            _ = try await fixture.send(#"{"topic":"Tech","notification":{"body":"1"}}"#)
            func get(_ target: String) async throws -> Client.Reply {
                try await fixture.hub.exchange(fixture.hub.request("GET", target, token: "", headers: [:]))
            }
            #expect(try await get("/_emulator/wait?tag=Tech&since=0&timeout=0").status == 200)
            #expect(try await get("/_emulator/wait?tag=tech&since=0&timeout=0").status == 408)
            let phones = try await get("/_emulator/phones?hub=shop&tag=Tech")
            #expect(phones.body.contains(#""topics":["Tech"]"#))
        }
    }

    @Test func aPropertyOfDataShowsWhatCameTwice() async throws {
        try await FCMFixture.run { fixture in
            for id in ["1", "2", "1"] { _ = try await fixture.send(#"{"token":"a","data":{"id":"\#(id)"}}"#) }
            let check = try await fixture.hub.exchange(
                fixture.hub.request("GET", "/_emulator/journal/check?by=property&name=id", token: "", headers: [:]))
            #expect(check.body.contains(#""repeatedValues":1"#) && check.body.contains(#""without":0"#))
        }
    }

    @Test func topicsSurviveARestart() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "fanfare-\(UUID().uuidString).json").path()
        defer { for name in [file, file + ".lock"] { try? FileManager.default.removeItem(atPath: name) } }
        try await FCMFixture.run({ $0.stateFile = file }) { try $0.phone("alice", topics: ["Tech"], language: "fr") }
        try await FCMFixture.run({ $0.stateFile = file }) { fixture in
            let alice = try #require(try fixture.emulator.installation("alice", at: "shop"))
            #expect(alice.topics == ["Tech"] && alice.tags == ["lang:fr"])
            _ = try await fixture.send(#"{"topic":"Tech","notification":{"body":"1"}}"#)
            #expect(try fixture.texts(of: "alice") == ["1"])
        }
    }

    @Test func seedDevicesArePhonesOfASender() async throws {
        try await FCMFixture.run({ $0.seedDevices = 50 }) { fixture in
            #expect(try fixture.emulator.devices(at: "shop").count == 50)
            _ = try await fixture.send(#"{"topic":"news","notification":{"body":"1"}}"#)
            #expect(fixture.emulator.journal()[0].reached > 5)
        }
    }

    @Test(arguments: [
        (Installation("a", platform: .wns, pushChannel: .handle("t")), "FCM reaches"),
        (Installation("a", platform: .fcmV1, pushChannel: .handle("a b")), "token"),
        (Installation("a", platform: .fcmV1, pushChannel: .handle("t"), templates: ["t": "{}"]), "templates"),
        (Installation("a", platform: .fcmV1, pushChannel: .handle("t"), topics: ["a b"]), "is no topic"),
        (
            Installation("a", platform: .fcmV1, pushChannel: .handle("t"), topics: (0...2_000).map { "t\($0)" }),
            "at most 2000"
        ),
    ])
    func whatIsNoPhoneOfFCMIsRefused(installation: Installation, says: String) async throws {
        try await FCMFixture.run { fixture in
            let error = try #require(throws: EmulatorError.self) {
                try fixture.emulator.register(installation, at: "shop")
            }
            #expect(error.description.contains(says), "\(error)")
        }
    }

    @Test func thePagesFormsServeSenders() async throws {
        try await FCMFixture.run { fixture in
            func form(_ path: String, _ body: String) async throws -> Client.Reply {
                try await fixture.hub.exchange(
                    fixture.hub.request("POST", "/_emulator/page/\(path)", token: "", headers: [:], body: body))
            }
            #expect(try await form("phone", "hub=shop&id=alice&platform=apns&tags=Tech,lang:fr").status == 303)
            #expect(try fixture.emulator.installation("alice", at: "shop")?.topics == ["Tech"])
            let message = "%7B%22message%22%3A%7B%22notification%22%3A%7B%22body%22%3A%22B%22%7D%7D%7D"
            let sent = try await form("send", "hub=shop&tags=Tech&body=\(message)")
            #expect(sent.headers["location"] == "/_emulator/page/sends/1")
            #expect(try fixture.texts(of: "alice") == ["B"])
            #expect(try await form("send", "hub=shop&tags=%27Tech%27+in+topics&body=\(message)").status == 303)
            #expect(try fixture.texts(of: "alice") == ["B", "B"])
            let wrong = try await form("send", "hub=shop&tags=Tech&body=%7B%7D")
            #expect(wrong.status == 400 && wrong.body.contains("The body is"))
        }
    }

    @Test func overTLSTheSameIsServed() async throws {
        try await EmulatorFixture.runWithTLS({
            $0.senders = [EmulatorSettings.Sender("shop", accounts: FCMFixture.accounts)]
        }) { fixture, authority in
            let emulator = fixture.emulator
            let port = try #require(emulator.securePort)
            #expect(emulator.secureEndpoint == "https://127.0.0.1:\(port)")
            let account = try #require(emulator.serviceAccount(of: "shop", overTLS: true)).reveal()
            #expect(account.contains("https://127.0.0.1:\(port)/token"))
            let assertion = try await SignedAssertion(try #require(emulator.serviceAccount(of: "shop"))).text()
            let ended = try await Program("curl")([
                "-sS", "--cacert", authority, "https://127.0.0.1:\(port)/token", "--data-urlencode",
                "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer", "--data-urlencode", "assertion=\(assertion)",
            ])
            #expect(ended.output.contains("access_token"), "\(ended)")
        }
    }
}
