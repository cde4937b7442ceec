import Foundation
import Signing
import Testing
import VectorSupport

@testable import HubEmulator

@Suite struct SendRoutesTests {
    @Test func aValidSendIsAnsweredAsByTheService() async throws {
        try await EmulatorFixture.run { fixture in
            let reply = try await fixture.exchange(fixture.send(to: "World"))
            #expect(reply.status == 201)
            #expect(reply.body.isEmpty)
            #expect(reply.headers["content-type"] == "application/xml; charset=utf-8")
            #expect(reply.headers["date"] == "Fri, 15 Jan 2027 08:00:00 GMT")
            #expect(reply.headers["trackingid"]?.isEmpty == false)
            #expect(reply.headers["x-ms-correlation-request-id"]?.count == 36)
            let entry = try #require(fixture.emulator.journal().first)
            #expect(entry.taken && entry.status == 201 && entry.tags == "World" && entry.body == #"{"m":"x"}"#)
            #expect(entry.tracking == reply.headers["trackingid"])
            let id = try #require(entry.notification)
            #expect(
                reply.headers["location"] == "http://\(fixture.host)/news/messages/\(id)?api-version=2020-06")
        }
    }

    /// docs/wire/notification-hubs.md, "Answers and ids": for every request and every status.
    @Test func everyResponseHasTheIdsForSupport() async throws {
        try await EmulatorFixture.run { fixture in
            for (method, path, status) in [
                ("POST", "news/messages", 201), ("POST", "news/messages?test", 201), ("GET", "news/messages/x", 404),
                ("PUT", "news/messages/x", 405), ("POST", "news/schedulednotifications", 400),
                ("DELETE", "news/schedulednotifications/x", 404), ("GET", "news/registrations", 200),
                ("GET", "news/feedbackcontainer", 200), ("GET", "news/installations/x", 404),
                ("DELETE", "news/installations/x", 204), ("GET", "news/jobs", 501), ("POST", "nowhere/messages", 404),
            ] {
                let reply = try await fixture.exchange(
                    fixture.request(method, "/\(path)", token: fixture.token("all"), body: "{}"))
                #expect(reply.status == status, "\(method) \(path)")
                let tracking = try #require(reply.headers["trackingid"], "\(method) \(path)")
                #expect(tracking.wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}_G\d+/) != nil)
                let correlation = try #require(reply.headers["x-ms-correlation-request-id"], "\(method) \(path)")
                #expect(correlation.count == 36 && !tracking.hasPrefix(correlation))
                #expect(reply.headers["date"] == "Fri, 15 Jan 2027 08:00:00 GMT")
                #expect(reply.headers["server"] == "fanfare-emulator")
                let type = reply.headers["content-type"] ?? ""
                #expect(type.hasPrefix("application/xml; charset=utf-8") || type.hasPrefix("application/atom+xml"))
            }
        }
    }

    @Test func theFreeTierGivesNoNotificationId() async throws {
        try await EmulatorFixture.run({ $0.tier = .free }) { fixture in
            let reply = try await fixture.exchange(fixture.send(to: "World"))
            #expect(reply.status == 201)
            #expect(reply.headers["location"] == nil)
            #expect(fixture.emulator.journal().first?.notification == nil)
        }
    }

    @Test(arguments: [
        "/news/messages?api-version=2020-06", "/news/messages/?api-version=2015-04", "/NEWS/messages",
        "/news/Messages/?x&api-version=2013-08",
    ])
    func everySpellingOfTheAddressIsAccepted(target: String) async throws {
        try await EmulatorFixture.run { fixture in
            let reply = try await fixture.exchange(fixture.request("POST", target, body: "{}"))
            #expect(reply.status == 201)
        }
    }

    @Test func manySendsShareOneConnection() async throws {
        try await EmulatorFixture.run { fixture in
            let client = try fixture.client()
            for _ in 0..<5 {
                try await client.write(fixture.send(to: "World"))
                #expect(try await client.reply().status == 201)
            }
            #expect(fixture.emulator.count().taken == 5)
        }
    }

    /// Every request in `peer_requests.json`, with a signature and expiry as its client makes them.
    @Test func bothPythonClientsAreServed() async throws {
        let requests = try Vectors.objects("peer_requests", "requests")
        try await EmulatorFixture.run({ settings in
            settings.hubs.append(
                .init(
                    "test-hub", policies: [SASPolicy(name: "DefaultFullSharedAccessSignature", key: Secret("k"))]))
        }) { fixture in
            var served: [String] = []
            for request in requests {
                let path = try #require(request["path"] as? String)
                let method = try #require(request["method"] as? String)
                var headers = try #require(request["headers"] as? [String: String])
                let recorded = try #require(headers["Authorization"])
                headers["Authorization"] = nil
                let token = signed(recorded, fixture)
                let reply = try await fixture.exchange(
                    fixture.request(
                        method, path, token: token, headers: headers, body: try #require(request["body"] as? String)))
                served.append("\(method) \(path.split(separator: "?")[0]) \(reply.status)")
            }
            // The notification does not exist, so its outcome is not found; the REST sample writes its time with quotation
            // marks, which are invalid.
            #expect(
                served == [
                    "POST /test-hub/messages 201", "POST /test-hub/messages 201", "POST /test-hub/messages 201",
                    "POST /test-hub/schedulednotifications 201", "GET /test-hub/messages/id1 404",
                    "PUT /test-hub/installations/inst/1 200", "POST /test-hub/messages/ 201",
                    "POST /test-hub/messages/ 201", "POST /test-hub/messages/ 201",
                    "POST /test-hub/schedulednotifications/ 400",
                ])
            // The header it invented for test sends has no effect, and gets a warning.
            let stranger = fixture.emulator.warnings.first { $0.kind == .unknownHeader }
            #expect(stranger?.subject == "servicebusnotification-testsend")
        }
    }

    /// Fills in what the recording left out. Both clients sign the `sr` as it stands in the token.
    private func signed(_ recorded: String, _ fixture: EmulatorFixture) -> String {
        let expiry = "\(Int64(EmulatorFixture.now) + 300)"
        let token = recorded.replacing("<host>", with: fixture.host.replacing(":", with: "%3A"))
            .replacing("<now+300 or now+3600>", with: expiry)
        let field = token.split { "& ".contains($0) }.first { $0.hasPrefix("sr=") } ?? ""
        let toSign = field.dropFirst(3) + "\n" + expiry
        let signature = Base64.encode(HMAC.sha256(key: Array("k".utf8), Array(toSign.utf8)))
        return token.replacing("<sig>", with: SAS.encode(signature))
    }

    @Test func aDirectSendReachesTheDeviceWithTheHandle() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(Installation("i1", pushChannel: .handle("ABCD")), at: "news")
            for query in ["direct", "direct=", "direct=true"] {
                let reply = try await fixture.exchange(
                    fixture.request(
                        "POST", "/news/messages?api-version=2020-06&\(query)",
                        headers: [
                            "ServiceBusNotification-Format": "apple", "ServiceBusNotification-DeviceHandle": "ABCD",
                        ], body: #"{"aps":{"alert":"hello"}}"#))
                #expect(reply.status == 201)
            }
            let inbox = try fixture.emulator.inbox(of: "i1", at: "news")
            #expect(inbox.map(\.alert?.body) == ["hello", "hello", "hello"])
            #expect(!fixture.emulator.warnings.contains { $0.kind == .broadcast })
        }
    }

    @Test func aTestSendReturnsTheOutcome() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(
                Installation(
                    "i", platform: .fcmV1, pushChannel: .handle("A<B>"), tags: ["World"],
                    templates: ["t": #"{"a":"$(m)"}"#]), at: "news")
            let reply = try await fixture.exchange(
                fixture.request("POST", "/news/messages?api-version=2020-06&test", body: #"{"m":"x"}"#))
            #expect(reply.status == 201)
            #expect(reply.body.contains("<Success>1</Success><Failure>0</Failure>"))
            #expect(reply.body.contains("<ApplicationPlatform>fcmv1template</ApplicationPlatform>"))
            #expect(reply.body.contains("<PnsHandle>A&lt;B&gt;</PnsHandle>"))
            #expect(reply.body.firstMatch(of: /<RegistrationId>\d+-\d+-1<\/RegistrationId>/) != nil)
        }
    }

    @Test func expect100ContinueIsAnswered() async throws {
        try await EmulatorFixture.run { fixture in
            let client = try fixture.client()
            let whole = fixture.request(
                headers: ["Expect": "100-continue", "ServiceBusNotification-Format": "template"], body: "{}")
            try await client.write(String(whole.dropLast(2)))
            #expect(try await client.reply().status == 100)
            try await client.write("{}")
            #expect(try await client.reply().status == 201)
        }
    }
}
