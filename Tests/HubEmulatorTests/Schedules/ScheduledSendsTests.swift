import Foundation
import Synchronization
import Testing

@testable import HubEmulator

/// `/{hub}/schedulednotifications`, with a clock that tests move.
@Suite struct ScheduledSendsTests {
    /// One hour after `EmulatorFixture.now`.
    static let inAnHour = "2027-01-15T09:00:00"

    static func schedule(
        _ fixture: EmulatorFixture, at time: String? = inAnHour, to tags: String? = "World", token: String? = nil,
        query: String = "api-version=2020-06"
    ) -> String {
        var headers = ["ServiceBusNotification-Format": "template", "Content-Type": "application/json"]
        headers["ServiceBusNotification-ScheduleTime"] = time
        headers["ServiceBusNotification-Tags"] = tags
        return fixture.request(
            "POST", "/news/schedulednotifications?\(query)", token: token, headers: headers, body: #"{"m":"later"}"#)
    }

    static func phone(_ fixture: EmulatorFixture, _ id: String = "phone") throws {
        try fixture.emulator.register(
            Installation(
                id, pushChannel: .handle("AB"), tags: ["World"], templates: ["t": #"{"aps":{"alert":"$(m)"}}"#]),
            at: "news")
    }

    private func id(_ reply: Client.Reply) throws -> String {
        let location = try #require(reply.headers["location"])
        return try #require(URL(string: location)).lastPathComponent
    }

    @Test func aScheduledSendIsDeliveredWhenDueAndNotBefore() async throws {
        try await EmulatorFixture.run { fixture in
            let reply = try await fixture.exchange(Self.schedule(fixture))
            #expect(reply.status == 201 && reply.body.isEmpty)
            let id = try id(reply)
            #expect(
                reply.headers["location"]
                    == "http://\(fixture.host)/news/schedulednotifications/\(id)?api-version=2020-06")
            #expect(id.contains("_17_QNHQueue"))
            // A device registered by then gets it.
            try Self.phone(fixture)
            try fixture.emulator.advance(by: 3_599)
            #expect(try fixture.emulator.inbox(of: "phone", at: "news").isEmpty)
            #expect(fixture.emulator.scheduled.map(\.notification) == [id])

            try fixture.emulator.advance(by: 1)
            let shown = try fixture.emulator.inbox(of: "phone", at: "news")
            #expect(shown.map(\.alert?.body) == ["later"] && shown.map(\.at) == [EmulatorFixture.now + 3_600])
            #expect(fixture.emulator.scheduled.isEmpty)
            let entries = fixture.emulator.journal()
            #expect(entries.map(\.kind) == [.scheduled, .due])
            #expect(entries.map(\.notification) == [id, id] && entries.map(\.reached) == [0, 1])
            #expect(entries.map(\.dueAt) == [EmulatorFixture.now + 3_600, EmulatorFixture.now + 3_600])
            #expect(fixture.emulator.count() == JournalCount(taken: 1, shown: 1, statuses: [201: 1]))

            try fixture.emulator.advance(by: 100_000)
            #expect(try fixture.emulator.inbox(of: "phone", at: "news").count == 1)
        }
    }

    @Test(.timeLimit(.minutes(10))) func theTimerDeliversByItself() async throws {
        // This clock jumps; nothing calls `advance`.
        let ahead = Mutex(0.0)
        try await EmulatorFixture.run({ $0.now = { EmulatorFixture.now + ahead.withLock { $0 } } }) { fixture in
            try Self.phone(fixture)
            #expect(try await fixture.exchange(Self.schedule(fixture, at: "2027-01-15T08:00:00.1")).status == 201)
            ahead.withLock { $0 = 1 }
            let wait = "/_emulator/wait?hub=news&device=phone&count=1&timeout=30&since=0"
            #expect(try await fixture.exchange(fixture.request("GET", wait, token: "", headers: [:])).status == 200)
            #expect(try fixture.emulator.inbox(of: "phone", at: "news").count == 1)
        }
    }

    @Test func aCancelledSendIsNeverDelivered() async throws {
        try await EmulatorFixture.run { fixture in
            try Self.phone(fixture)
            let id = try id(try await fixture.exchange(Self.schedule(fixture)))
            let cancel = fixture.request(
                "DELETE", "/news/schedulednotifications/\(id)?api-version=2020-06", headers: [:])
            let cancelled = try await fixture.exchange(cancel)
            #expect(cancelled.status == 200 && cancelled.body.isEmpty)
            #expect(cancelled.headers["trackingid"] != nil && cancelled.headers["x-ms-correlation-request-id"] != nil)
            try fixture.emulator.advance(by: 4_000)
            #expect(try fixture.emulator.inbox(of: "phone", at: "news").isEmpty)
            #expect(fixture.emulator.journal().map(\.kind) == [.scheduled])
            let again = try await fixture.exchange(cancel)
            #expect(again.status == 404 && again.body.contains("<Code>404</Code>"))
            // Neither can a delivered one, nor one of another hub.
            let delivered = try self.id(try await fixture.exchange(Self.schedule(fixture, at: "2027-01-15T08:00:00")))
            let late = fixture.request(
                "DELETE", "/news/schedulednotifications/\(delivered)?api-version=2020-06", headers: [:])
            #expect(try await fixture.exchange(late).status == 404)
        }
    }

    /// The service's behaviour is not documented; the emulator delivers at once.
    @Test func aPastTimeIsDeliveredAtOnce() async throws {
        try await EmulatorFixture.run { fixture in
            try Self.phone(fixture)
            #expect(try await fixture.exchange(Self.schedule(fixture, at: "2026-01-02T03:04:05+00:00")).status == 201)
            #expect(try fixture.emulator.inbox(of: "phone", at: "news").count == 1)
            #expect(fixture.emulator.journal().map(\.kind) == [.scheduled, .due])
            #expect(fixture.emulator.warnings.map(\.kind) == [.scheduleTooSoon])
        }
    }

    @Test(arguments: [
        (nil, "needs the header ServiceBusNotification-ScheduleTime"),
        ("2027-01-15'T'09:00:00", "has an invalid value"), ("tomorrow", "has an invalid value"),
        ("2027-02-30T09:00:00", "has an invalid value"), ("2027-01-22T08:00:01", "more than 7 days"),
        ("9999-12-31T23:59:59", "more than 7 days"),
    ])
    func anInvalidTimeIsRefused(time: String?, text: String) async throws {
        try await EmulatorFixture.run { fixture in
            let reply = try await fixture.exchange(Self.schedule(fixture, at: time))
            #expect(reply.status == 400 && reply.body.contains(text))
            #expect(fixture.emulator.scheduled.isEmpty && fixture.emulator.journal().map(\.status) == [400])
            #expect(try await fixture.exchange(Self.schedule(fixture, at: "2027-01-22T08:00:00")).status == 201)
        }
    }

    @Test func aScheduledSendIsCheckedLikeAnyOther() async throws {
        try await EmulatorFixture.run { fixture in
            for (request, status) in [
                (Self.schedule(fixture, token: fixture.token("listener")), 403),
                (Self.schedule(fixture, token: ""), 401),
                (Self.schedule(fixture, to: "a b"), 400),
                (Self.schedule(fixture, query: "api-version=2020-06&direct"), 400),
                (Self.schedule(fixture, query: "api-version=2020-06&test"), 400),
                (fixture.request("GET", "/news/schedulednotifications", headers: [:]), 405),
                (fixture.request("GET", "/news/schedulednotifications/x", headers: [:]), 405),
                (
                    fixture.request(
                        "DELETE", "/news/schedulednotifications/x", token: fixture.token("listener"), headers: [:]), 403
                ),
                (fixture.request("DELETE", "/nowhere/schedulednotifications/x", headers: [:]), 404),
            ] {
                #expect(try await fixture.exchange(request).status == status, "\(request.prefix(80))")
            }
            try fixture.emulator.add(Fault(.next(1), status: 503))
            #expect(try await fixture.exchange(Self.schedule(fixture)).status == 503)
            var lost = Fault(.next(1), closing: .afterBody)
            lost.taken = true
            fixture.emulator.clearFaults()
            try fixture.emulator.add(lost)
            let client = try fixture.client()
            try await client.write(Self.schedule(fixture))
            #expect(await client.ending() == .ended)
            #expect(fixture.emulator.scheduled.count == 1)
        }
    }

    @Test func sendsAreDeliveredInOrderOfDueTime() async throws {
        try await EmulatorFixture.run { fixture in
            for (time, tag) in [
                ("2027-01-15T10:00:00", "c"), ("2027-01-15T09:00:00", "a"), ("2027-01-15T09:00:00", "b"),
            ] {
                let reply = try await fixture.exchange(Self.schedule(fixture, at: time, to: tag))
                #expect(reply.status == 201)
            }
            #expect(fixture.emulator.scheduled.map(\.tags) == ["a", "b", "c"])
            try fixture.emulator.advance(by: 86_400)
            #expect(fixture.emulator.journal(after: 3).map(\.tags) == ["a", "b", "c"])
        }
    }

    @Test func pendingNotificationsAreLimited() async throws {
        try await EmulatorFixture.run({ $0.keptSchedules = 2 }) { fixture in
            for status in [201, 201, 403] {
                #expect(try await fixture.exchange(Self.schedule(fixture)).status == status)
            }
            try fixture.emulator.advance(by: 3_600)
            #expect(try await fixture.exchange(Self.schedule(fixture, at: "2027-01-15T10:00:00")).status == 201)
        }
    }

    @Test func theClockIsReadAndMovedOverHTTP() async throws {
        try await EmulatorFixture.run { fixture in
            try Self.phone(fixture)
            #expect(try await fixture.exchange(Self.schedule(fixture)).status == 201)
            func admin(_ method: String, _ path: String, _ body: String = "") async throws -> Client.Reply {
                try await fixture.exchange(
                    fixture.request(method, "/_emulator/\(path)", token: "", headers: [:], body: body))
            }
            let waiting = try await admin("GET", "schedules")
            #expect(
                try JSONDecoder().decode([ScheduledNotification].self, from: Data(waiting.body.utf8))
                    == fixture.emulator.scheduled)
            #expect(try await admin("GET", "clock").body == #"{"advancedSeconds":0,"now":1800000000}"#)
            let moved = try await admin("POST", "clock", #"{"advanceSeconds": 3600}"#)
            #expect(moved.body == #"{"advancedSeconds":3600,"now":1800003600}"#)
            #expect(try fixture.emulator.inbox(of: "phone", at: "news").count == 1)
            // Clients sign by their own clock, which did not move.
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
            for (method, path, body, status) in [
                ("POST", "clock", #"{"advanceSeconds": -1}"#, 400), ("POST", "clock", "{}", 400),
                ("POST", "clock", #"{"advanceSeconds": 1e300}"#, 400), ("PUT", "clock", "", 405),
                ("POST", "schedules", "", 405), ("GET", "schedules/x", "", 405), ("DELETE", "schedules/x", "", 404),
            ] {
                let reply = try await admin(method, path, body)
                #expect(reply.status == status && reply.body.hasPrefix(#"{"error":"#), "\(method) \(path)")
            }
        }
    }

    @Test func theClockIsPutBack() async throws {
        try await EmulatorFixture.run { fixture in
            try Self.phone(fixture)
            #expect(try await fixture.exchange(Self.schedule(fixture)).status == 201)
            try fixture.emulator.advance(by: 60)
            let reset = try await fixture.exchange(
                fixture.request("DELETE", "/_emulator/clock", token: "", headers: [:]))
            #expect(reset.status == 204)
            let clock = try await fixture.exchange(fixture.request("GET", "/_emulator/clock", token: "", headers: [:]))
            #expect(clock.body == #"{"advancedSeconds":0,"now":1800000000}"#)
            // What waits is still due at its own time.
            try fixture.emulator.advance(by: 3_599)
            #expect(try fixture.emulator.inbox(of: "phone", at: "news").isEmpty)
            try fixture.emulator.advance(by: 1)
            #expect(try fixture.emulator.inbox(of: "phone", at: "news").count == 1)
            fixture.emulator.resetClock()
            #expect(fixture.emulator.scheduled.isEmpty)
            #expect(try fixture.emulator.inbox(of: "phone", at: "news").count == 1)
        }
    }

    @Test func aScheduledSendIsCancelledWithoutAKey() async throws {
        try await EmulatorFixture.run({ $0.telemetryDelay = 0 }) { fixture in
            try Self.phone(fixture)
            let id = try id(try await fixture.exchange(Self.schedule(fixture)))
            let cancel = fixture.request("DELETE", "/_emulator/schedules/\(id)", token: "", headers: [:])
            #expect(try await fixture.exchange(cancel).status == 204)
            #expect(fixture.emulator.scheduled.isEmpty)
            #expect(fixture.emulator.telemetry(of: id)?.state == "Canceled")
            #expect(try await fixture.exchange(cancel).status == 404)
        }
    }

    @Test func aTimeOnAPlainSendGetsAWarning() async throws {
        try await EmulatorFixture.run { fixture in
            let request = fixture.request(
                headers: [
                    "ServiceBusNotification-Format": "template", "ServiceBusNotification-Tags": "World",
                    "ServiceBusNotification-ScheduleTime": Self.inAnHour,
                ], body: "{}")
            let reply = try await fixture.exchange(request)
            #expect(reply.status == 201)
            #expect(fixture.emulator.warnings.map(\.kind).contains(.scheduleTimeIgnored))
        }
    }
}
