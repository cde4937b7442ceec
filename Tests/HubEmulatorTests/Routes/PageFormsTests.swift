import Foundation
import Testing

@testable import HubEmulator

/// The page's forms over HTTP, without a browser.
@Suite struct PageFormsTests {
    private func page(_ fixture: EmulatorFixture, _ path: String) async throws -> Client.Reply {
        try await fixture.exchange("GET \(path) HTTP/1.1\r\nHost: \(fixture.host)\r\n\r\n")
    }

    private func submit(
        _ fixture: EmulatorFixture, _ form: String, _ fields: [String: String] = [:], headers: [String: String] = [:]
    ) async throws -> Client.Reply {
        let body = fields.map { "\($0.key)=\($0.value.urlEncoded)" }.joined(separator: "&")
        return try await fixture.exchange(
            fixture.request(
                "POST", "/_emulator/page/\(form)", token: "",
                headers: headers.merging(["Content-Type": "application/x-www-form-urlencoded"]) { $1 }, body: body))
    }

    @Test(arguments: ["clear", "clear-warnings", "clear-faults", "reset-clock", "clear-telemetry"])
    func aFormRedirectsToThePage(action: String) async throws {
        try await EmulatorFixture.run { fixture in
            #expect(try await fixture.exchange(fixture.send(to: nil)).status == 201)
            try fixture.emulator.add(Fault(.nth(9), status: 500))
            var rule = TelemetryRule()
            rule.delaySeconds = 5
            try fixture.emulator.add(rule)
            try fixture.emulator.advance(by: 60)
            let reply = try await submit(fixture, action)
            #expect(reply.status == 303 && reply.headers["location"] == "/")
            #expect(fixture.emulator.warnings.isEmpty == (action == "clear-warnings"))
            #expect(fixture.emulator.faults.isEmpty == (action == "clear-faults"))
            #expect((fixture.emulator.count().taken == 0) == (action == "clear"))
            let clock = try await page(fixture, "/_emulator/clock").body
            #expect(clock.contains(#""advancedSeconds":0"#) == (action == "reset-clock"))
            #expect((try await page(fixture, "/_emulator/telemetry").body == "[]") == (action == "clear-telemetry"))
            #expect(try await page(fixture, "/_emulator/page/\(action)").status == 404)
        }
    }

    /// Back to the page with the form, but never to another host.
    @Test(arguments: [
        ("/?hub=news&tag=World", "/?hub=news&tag=World"), ("/", "/"),
        ("/_emulator/page/schedules", "/_emulator/page/schedules"), ("//evil.example/", "/"), ("/news/messages", "/"),
    ])
    func aFormLeadsBackToItsPage(from: String, to: String) async throws {
        try await EmulatorFixture.run { fixture in
            let reply = try await submit(
                fixture, "clear-warnings", headers: ["Referer": "http://\(fixture.host)\(from)"])
            #expect(reply.headers["location"] == to)
            let other = try await submit(fixture, "clear-warnings", headers: ["Referer": "http://evil.example/"])
            #expect(other.headers["location"] == "/")
        }
    }

    @Test func oneInboxIsCleared() async throws {
        try await EmulatorFixture.run { fixture in
            for id in ["a", "b"] { try fixture.emulator.register(EmulatorFixture.device(id, ["World"]), at: "news") }
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
            #expect(try await submit(fixture, "clear-inbox", ["hub": "news", "device": "a"]).status == 303)
            #expect(try fixture.emulator.inbox(of: "a", at: "news").isEmpty)
            #expect(try fixture.emulator.inbox(of: "b", at: "news").count == 1)
            #expect(try await submit(fixture, "clear-inbox", ["hub": "x", "device": "a"]).status == 400)
            #expect(try await submit(fixture, "clear-inbox", ["device": "a"]).status == 400)
        }
    }

    @Test func aPhoneIsAdded() async throws {
        try await EmulatorFixture.run { fixture in
            let fields = [
                "hub": "news", "id": "alice", "platform": "fcmV1", "tags": "World, lang:fr", "title": "t", "shows": "m",
            ]
            #expect(try await submit(fixture, "phone", fields).status == 303)
            #expect(try await fixture.exchange(fixture.send(to: "World", #"{"t":"T","m":"x"}"#)).status == 201)
            let alert = try #require(fixture.emulator.inbox(of: "alice", at: "news").first?.alert)
            #expect(alert.title == "T" && alert.body == "x")
            for (fields, text) in [
                (["hub": "news"], "The phone has no id."), (["hub": "news", "id": "b", "tags": "no!"], "invalid tag"),
                (["hub": "x", "id": "b"], "there is no hub x"),
            ] {
                let reply = try await submit(fixture, "phone", fields)
                #expect(reply.status == 400 && reply.body.contains(text))
                #expect(reply.headers["content-type"] == "text/html; charset=utf-8")
            }
        }
    }

    @Test func aSendFromTheFormIsLikeAnyOther() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(EmulatorFixture.device("a", ["World"]), at: "news")
            try fixture.emulator.advance(by: 86_400)
            let body = #"{"m":"Grüße & 100 %"}"#
            let reply = try await submit(fixture, "send", ["hub": "news", "tags": "World && !Sports", "body": body])
            #expect(reply.status == 303 && reply.headers["location"] == "/_emulator/page/sends/1")
            #expect(try fixture.emulator.inbox(of: "a", at: "news").first?.alert?.body == "Grüße & 100 %")
            let entry = try #require(fixture.emulator.journal().first)
            #expect(entry.status == 201 && entry.tags == "World && !Sports" && entry.body == body)
            #expect(fixture.emulator.warnings.map(\.kind) == [.unknownTag])
            // A refusal is the hub's own, on the send's page.
            #expect(
                try await submit(fixture, "send", ["hub": "news", "tags": "(a", "body": "{}"]).headers["location"]
                    == "/_emulator/page/sends/2")
            #expect(try await page(fixture, "/_emulator/page/sends/2").body.contains("tag expression"))
            // So are faults.
            try fixture.emulator.add(Fault(.next(1), closing: .afterBody))
            #expect(try await submit(fixture, "send", ["hub": "news", "tags": "World", "body": "{}"]).status == 303)
            #expect(fixture.emulator.journal().last?.fault == 1)
        }
    }

    @Test func aSendToEveryoneNeedsTheBox() async throws {
        try await EmulatorFixture.run { fixture in
            let refused = try await submit(fixture, "send", ["hub": "news", "body": #"{"m":"kept"}"#])
            #expect(refused.status == 400 && refused.body.contains("tick the box"))
            #expect(refused.body.contains("kept") && fixture.emulator.journal().isEmpty)
            let taken = try await submit(fixture, "send", ["hub": "news", "everyone": "on", "body": #"{"m":"x"}"#])
            #expect(taken.status == 303 && fixture.emulator.journal().map(\.tags) == [nil])
            let broken = try await submit(fixture, "send", ["hub": "news", "tags": "a\r\nX: y", "body": "{}"])
            #expect(broken.status == 400 && fixture.emulator.journal().count == 1)
        }
    }

    @Test func aHubWithoutTheRightSaysSo() async throws {
        try await EmulatorFixture.run({ settings in
            settings.hubs = [.init("quiet", policies: [.init(name: "l", key: .init("k"), rights: [.listen])])]
        }) { fixture in
            let reply = try await submit(fixture, "send", ["tags": "World", "body": "{}"])
            #expect(reply.status == 400 && reply.body.contains("has the right to send"))
        }
    }

    @Test func schedulesAreCancelledAndTheClockAdvanced() async throws {
        try await EmulatorFixture.run { fixture in
            for _ in 1...2 {
                let request = fixture.request(
                    "POST", "/news/schedulednotifications?api-version=2020-06",
                    headers: [
                        "ServiceBusNotification-Format": "template", "ServiceBusNotification-Tags": "World",
                        "ServiceBusNotification-ScheduleTime": "2027-01-15T09:00:00",
                    ], body: #"{"m":"x"}"#)
                #expect(try await fixture.exchange(request).status == 201)
            }
            let html = try await page(fixture, "/_emulator/page/schedules").body
            let id = try #require(fixture.emulator.scheduled.first?.notification)
            #expect(html.contains(id) && html.contains(#"value="3600" class="main">To the next send"#))
            #expect(try await submit(fixture, "cancel", ["notification": id]).status == 303)
            #expect(fixture.emulator.scheduled.count == 1)
            #expect(try await submit(fixture, "advance-clock", ["seconds": "3600"]).status == 303)
            #expect(fixture.emulator.scheduled.isEmpty)
            #expect(try await page(fixture, "/").body.contains("The clock is 1 hour ahead."))
            for seconds in ["-1", "x", "nan", "inf"] {
                #expect(try await submit(fixture, "advance-clock", ["seconds": seconds]).status == 400)
            }
        }
    }

    @Test func aPageOfAnotherSiteChangesNothing() async throws {
        try await EmulatorFixture.run { fixture in
            for form in ["send", "phone", "clear", "clear-inbox", "reset-clock"] {
                let reply = try await submit(
                    fixture, form, ["hub": "news", "tags": "World", "body": "{}", "id": "x"],
                    headers: ["Origin": "http://evil.example"])
                #expect(reply.status == 403)
            }
            #expect(try fixture.emulator.journal().isEmpty && fixture.emulator.devices(at: "news").isEmpty)
        }
    }
}
