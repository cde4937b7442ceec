import Foundation
import Testing

@testable import HubEmulator

/// `/_emulator/status`, `/_emulator/journal/N`, `/_emulator/reach`.
@Suite struct ReportRoutesTests {
    private func ask(_ fixture: EmulatorFixture, _ path: String, _ method: String = "GET") async throws -> Client.Reply
    {
        try await fixture.exchange(fixture.request(method, "/_emulator/\(path)", token: "", headers: [:]))
    }

    private func object(_ fixture: EmulatorFixture, _ path: String) async throws -> [String: Any] {
        let reply = try await ask(fixture, path)
        #expect(reply.status == 200, "\(reply.body)")
        return try #require(try JSONSerialization.jsonObject(with: Data(reply.body.utf8)) as? [String: Any])
    }

    @Test func theStatusSaysWhichRunAnswers() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.advance(by: 90)
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
            let reply = try await ask(fixture, "status")
            let status = try JSONDecoder().decode(EmulatorStatus.self, from: Data(reply.body.utf8))
            #expect(status.startedAt == EmulatorFixture.now && status.advancedSeconds == 90 && status.number == 1)
            #expect(status.hubs == ["news", "sports"] && !status.instance.isEmpty)
            #expect(try await ask(fixture, "status", "POST").status == 405)
        }
    }

    @Test func aSendTellsWhoGotItAndWhoNot() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(EmulatorFixture.device("a", ["World"]), at: "news")
            try fixture.emulator.register(EmulatorFixture.device("b", ["World", "Sports"]), at: "news")
            #expect(try await fixture.exchange(fixture.send(to: "World && !Sports", #"{"x":"y"}"#)).status == 201)
            let report = try await object(fixture, "journal/1")
            let got = try #require(report["got"] as? [[String: Any]])
            #expect(got.map { $0["device"] as? String } == ["a"])
            #expect(got.first?["missing"] as? [String] == ["m"])
            let missed = try #require(report["missed"] as? [[String: String]])
            #expect(missed == [["device": "b", "platform": "apns", "reason": "has Sports"]])
            let request = try #require(report["request"] as? [String: Any])
            #expect(request["address"] as? String == "http://\(fixture.host)/news/messages?api-version=2020-06")
            let headers = try #require(request["headers"] as? [[String: String]])
            #expect(headers.contains(["name": "Authorization", "value": "•••"]))
            #expect(headers.contains(["name": "ServiceBusNotification-Tags", "value": "World && !Sports"]))
            #expect((report["curl"] as? String)?.contains("World && !Sports") == true)
            #expect(try await ask(fixture, "journal/2").status == 404)
        }
    }

    /// A payload over the platform's limit, and the eleventh device of a test send.
    @Test func aDeviceThatMatchesIsMissedForAReason() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(EmulatorFixture.device("a", ["World"]), at: "news")
            let long = String(repeating: "x", count: 5_000)
            #expect(try await fixture.exchange(fixture.send(to: "World", #"{"m":"\#(long)"}"#)).status == 201)
            let large = try #require(try await object(fixture, "journal/1")["missed"] as? [[String: String]])
            #expect(large.map { $0["reason"] ?? "" } == ["its payload has 5,020 bytes, and its platform takes 4,096"])
            for number in 1...10 {
                try fixture.emulator.register(EmulatorFixture.device("crowd\(number)", ["World"]), at: "news")
            }
            let test = fixture.request(
                "POST", "/news/messages?test&api-version=2020-06",
                headers: ["ServiceBusNotification-Format": "template", "ServiceBusNotification-Tags": "World"],
                body: #"{"m":"x"}"#)
            #expect(try await fixture.exchange(test).status == 201)
            let last = try #require(try await object(fixture, "journal/2")["missed"] as? [[String: String]])
            #expect(
                last == [
                    [
                        "device": "crowd10", "platform": "apns",
                        "reason": "a test send goes to the first 10 devices only",
                    ]
                ])
        }
    }

    @Test func aRefusedSendTellsItsRule() async throws {
        try await EmulatorFixture.run { fixture in
            #expect(try await fixture.exchange(fixture.send(to: "(a")).status == 400)
            let report = try await object(fixture, "journal/1")
            #expect((report["rule"] as? [String: String])?["name"] == "tag expression")
            #expect((report["missed"] as? [Any])?.isEmpty == true)
        }
    }

    @Test func aFaultIsToldWhileItIsSet() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.add(Fault(.every(1), status: 429))
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 429)
            #expect(try await object(fixture, "journal/1")["fault"] as? String == "every send: 429")
        }
    }

    @Test func aTokenAppearsNowhere() async throws {
        try await EmulatorFixture.run { fixture in
            let token = fixture.token()
            let signature = String(try #require(token.firstMatch(of: /sig=([^&]+)/)).1)
            #expect(
                try await fixture.exchange(
                    fixture.request(
                        token: token, headers: ["ServiceBusNotification-Format": "template"], body: #"{"m":"x"}"#)
                ).status == 201)
            for path in ["journal/1", "page/sends/1", "journal"] {
                #expect(!(try await ask(fixture, path).body.contains(signature)), "\(path)")
            }
        }
    }

    @Test func requestsOfTheNewestSendsAreKept() {
        let journal = Journal(
            hubs: ["a"], keptEntries: 10_000, keptBodies: .all, keptPushesPerInbox: 1, keptHandles: 1)
        let head = EmulatorRequest(.init(method: .post, scheme: "http", authority: "h", path: "/a/messages"))
        for _ in 0...Journal.keptRequests {
            journal.record(
                JournalEntry(
                    number: 0, hub: "a", at: 0, elapsed: 0, taken: true, reached: 0,
                    request: head.map(SentRequest.init)))
        }
        #expect(journal.request(of: 1) == nil && journal.request(of: 2) != nil)
        #expect(journal.entry(1)?.number == 1 && journal.entry(5_000) == nil && journal.entry(0) == nil)
        journal.clear()
        #expect(journal.request(of: 2) == nil && journal.entry(2) == nil)
    }

    @Test func anExpressionTellsWhomItWouldReach() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(EmulatorFixture.device("a", ["World"]), at: "news")
            let reach = try await object(fixture, "reach?hub=news&tags=World+%26%26+!Sports")
            #expect(reach["count"] as? Int == 1 && reach["devices"] as? Int == 1)
            #expect(fixture.emulator.journal().isEmpty)
            for path in ["reach?tags=a", "reach?hub=news&tags=(a", "reach?hub=news&tags=a&format=x", "reach?hub=x"] {
                #expect(try await ask(fixture, path).status == 400, "\(path)")
            }
            #expect(try await ask(fixture, "reach?hub=news&tags=(a").body.contains("not a tag expression: character"))
        }
    }
}
