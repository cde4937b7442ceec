import Foundation
import Synchronization
import Testing

@testable import HubEmulator

/// `/{hub}/schedulednotifications`, with a clock that is moved by hand.
@Suite struct ScheduleTests {
    /// `Bench.now` and an hour.
    static let inAnHour = "2027-01-15T09:00:00"

    static func schedule(
        _ bench: Bench, at time: String? = inAnHour, to tags: String? = "World", token: String? = nil,
        query: String = "api-version=2020-06"
    ) -> String {
        var headers = ["ServiceBusNotification-Format": "template", "Content-Type": "application/json"]
        headers["ServiceBusNotification-ScheduleTime"] = time
        headers["ServiceBusNotification-Tags"] = tags
        return bench.request(
            "POST", "/news/schedulednotifications?\(query)", token: token, headers: headers, body: #"{"m":"later"}"#)
    }

    static func phone(_ bench: Bench, _ id: String = "phone") throws {
        try bench.emulator.register(
            Installation(
                id, pushChannel: .handle("AB"), tags: ["World"], templates: ["t": #"{"aps":{"alert":"$(m)"}}"#]),
            at: "news")
    }

    private func id(_ reply: Client.Reply) throws -> String {
        let location = try #require(reply.headers["location"])
        return try #require(URL(string: location)).lastPathComponent
    }

    @Test func itGoesOutWhenItsTimeComesAndNotBefore() async throws {
        try await Bench.run { bench in
            let reply = try await bench.exchange(Self.schedule(bench))
            #expect(reply.status == 201 && reply.body.isEmpty)
            let id = try id(reply)
            #expect(
                reply.headers["location"]
                    == "http://\(bench.host)/news/schedulednotifications/\(id)?api-version=2020-06")
            #expect(id.contains("_17_QNHQueue"))
            // Whoever registers by then gets it.
            try Self.phone(bench)
            try bench.emulator.advance(by: 3_599)
            #expect(try bench.emulator.inbox(of: "phone", at: "news").isEmpty)
            #expect(bench.emulator.scheduled.map(\.notification) == [id])

            try bench.emulator.advance(by: 1)
            let shown = try bench.emulator.inbox(of: "phone", at: "news")
            #expect(shown.map(\.alert?.body) == ["later"] && shown.map(\.at) == [Bench.now + 3_600])
            #expect(bench.emulator.scheduled.isEmpty)
            let entries = bench.emulator.journal()
            #expect(entries.map(\.kind) == [.scheduled, .due])
            #expect(entries.map(\.notification) == [id, id] && entries.map(\.reached) == [0, 1])
            #expect(entries.map(\.dueAt) == [Bench.now + 3_600, Bench.now + 3_600])
            #expect(bench.emulator.count() == JournalCount(taken: 1, shown: 1, statuses: [201: 1]))

            try bench.emulator.advance(by: 100_000)
            #expect(try bench.emulator.inbox(of: "phone", at: "news").count == 1)
        }
    }

    @Test(.timeLimit(.minutes(1))) func theTimerSendsItOutByItself() async throws {
        // The emulator's clock jumps when this says so; nobody calls `advance`.
        let ahead = Mutex(0.0)
        try await Bench.run({ $0.now = { Bench.now + ahead.withLock { $0 } } }) { bench in
            try Self.phone(bench)
            #expect(try await bench.exchange(Self.schedule(bench, at: "2027-01-15T08:00:00.1")).status == 201)
            ahead.withLock { $0 = 1 }
            let wait = "/_emulator/wait?hub=news&device=phone&count=1&timeout=30"
            #expect(try await bench.exchange(bench.request("GET", wait, token: "", headers: [:])).status == 200)
            #expect(try bench.emulator.inbox(of: "phone", at: "news").count == 1)
        }
    }

    @Test func whatIsCancelledNeverGoesOut() async throws {
        try await Bench.run { bench in
            try Self.phone(bench)
            let id = try id(try await bench.exchange(Self.schedule(bench)))
            let cancel = bench.request("DELETE", "/news/schedulednotifications/\(id)?api-version=2020-06", headers: [:])
            let cancelled = try await bench.exchange(cancel)
            #expect(cancelled.status == 200 && cancelled.body.isEmpty)
            #expect(cancelled.headers["trackingid"] != nil && cancelled.headers["x-ms-correlation-request-id"] != nil)
            try bench.emulator.advance(by: 4_000)
            #expect(try bench.emulator.inbox(of: "phone", at: "news").isEmpty)
            #expect(bench.emulator.journal().map(\.kind) == [.scheduled])
            let again = try await bench.exchange(cancel)
            #expect(again.status == 404 && again.body.contains("<Code>404</Code>"))
            // Neither can what has gone out, nor at another hub.
            let gone = try self.id(try await bench.exchange(Self.schedule(bench, at: "2027-01-15T08:00:00")))
            let late = bench.request("DELETE", "/news/schedulednotifications/\(gone)?api-version=2020-06", headers: [:])
            #expect(try await bench.exchange(late).status == 404)
        }
    }

    /// What the service does with a time that has passed is written nowhere; here it goes out at once.
    @Test func aTimeThatHasPassedIsNow() async throws {
        try await Bench.run { bench in
            try Self.phone(bench)
            #expect(try await bench.exchange(Self.schedule(bench, at: "2026-01-02T03:04:05+00:00")).status == 201)
            #expect(try bench.emulator.inbox(of: "phone", at: "news").count == 1)
            #expect(bench.emulator.journal().map(\.kind) == [.scheduled, .due])
            #expect(bench.emulator.warnings.map(\.kind) == [.scheduleTooSoon])
        }
    }

    @Test(arguments: [
        (nil, "needs the header ServiceBusNotification-ScheduleTime"),
        ("2027-01-15'T'09:00:00", "has an invalid value"), ("tomorrow", "has an invalid value"),
        ("2027-02-30T09:00:00", "has an invalid value"), ("2027-01-22T08:00:01", "more than 7 days"),
        ("9999-12-31T23:59:59", "more than 7 days"),
    ])
    func aTimeThatCannotBeIsRefused(time: String?, text: String) async throws {
        try await Bench.run { bench in
            let reply = try await bench.exchange(Self.schedule(bench, at: time))
            #expect(reply.status == 400 && reply.body.contains(text))
            #expect(bench.emulator.scheduled.isEmpty && bench.emulator.journal().map(\.status) == [400])
            #expect(try await bench.exchange(Self.schedule(bench, at: "2027-01-22T08:00:00")).status == 201)
        }
    }

    @Test func itIsASendLikeAnyOther() async throws {
        try await Bench.run { bench in
            for (request, status) in [
                (Self.schedule(bench, token: bench.token("listener")), 403), (Self.schedule(bench, token: ""), 401),
                (Self.schedule(bench, to: "a b"), 400),
                (Self.schedule(bench, query: "api-version=2020-06&direct"), 400),
                (Self.schedule(bench, query: "api-version=2020-06&test"), 400),
                (bench.request("GET", "/news/schedulednotifications", headers: [:]), 405),
                (bench.request("GET", "/news/schedulednotifications/x", headers: [:]), 405),
                (
                    bench.request(
                        "DELETE", "/news/schedulednotifications/x", token: bench.token("listener"), headers: [:]), 403
                ),
                (bench.request("DELETE", "/nowhere/schedulednotifications/x", headers: [:]), 404),
            ] {
                #expect(try await bench.exchange(request).status == status, "\(request.prefix(80))")
            }
            try bench.emulator.add(Fault(.next(1), status: 503))
            #expect(try await bench.exchange(Self.schedule(bench)).status == 503)
            var lost = Fault(.next(1), closing: .afterBody)
            lost.taken = true
            bench.emulator.clearFaults()
            try bench.emulator.add(lost)
            let client = try bench.client()
            try await client.write(Self.schedule(bench))
            #expect(await client.ending() == .ended)
            #expect(bench.emulator.scheduled.count == 1)
        }
    }

    @Test func whatIsDueFirstGoesOutFirst() async throws {
        try await Bench.run { bench in
            for (time, tag) in [
                ("2027-01-15T10:00:00", "c"), ("2027-01-15T09:00:00", "a"), ("2027-01-15T09:00:00", "b"),
            ] {
                let reply = try await bench.exchange(Self.schedule(bench, at: time, to: tag))
                #expect(reply.status == 201)
            }
            #expect(bench.emulator.scheduled.map(\.tags) == ["a", "b", "c"])
            try bench.emulator.advance(by: 86_400)
            #expect(bench.emulator.journal(after: 3).map(\.tags) == ["a", "b", "c"])
        }
    }

    @Test func onlySoManyWaitAtOnce() async throws {
        try await Bench.run({ $0.keptSchedules = 2 }) { bench in
            for status in [201, 201, 403] {
                #expect(try await bench.exchange(Self.schedule(bench)).status == status)
            }
            try bench.emulator.advance(by: 3_600)
            #expect(try await bench.exchange(Self.schedule(bench, at: "2027-01-15T10:00:00")).status == 201)
        }
    }

    @Test func theClockIsReadAndMovedFromOutside() async throws {
        try await Bench.run { bench in
            try Self.phone(bench)
            #expect(try await bench.exchange(Self.schedule(bench)).status == 201)
            func admin(_ method: String, _ path: String, _ body: String = "") async throws -> Client.Reply {
                try await bench.exchange(
                    bench.request(method, "/_emulator/\(path)", token: "", headers: [:], body: body))
            }
            let waiting = try await admin("GET", "schedules")
            #expect(
                try JSONDecoder().decode([ScheduledNotification].self, from: Data(waiting.body.utf8))
                    == bench.emulator.scheduled)
            #expect(try await admin("GET", "clock").body == #"{"advancedSeconds":0,"now":1800000000}"#)
            let moved = try await admin("POST", "clock", #"{"advanceSeconds": 3600}"#)
            #expect(moved.body == #"{"advancedSeconds":3600,"now":1800003600}"#)
            #expect(try bench.emulator.inbox(of: "phone", at: "news").count == 1)
            // Clients sign by their own clock, which nobody has moved.
            #expect(try await bench.exchange(bench.send(to: "World")).status == 201)
            for (method, path, body, status) in [
                ("POST", "clock", #"{"advanceSeconds": -1}"#, 400), ("POST", "clock", "{}", 400),
                ("POST", "clock", #"{"advanceSeconds": 1e300}"#, 400), ("PUT", "clock", "", 405),
                ("POST", "schedules", "", 405), ("GET", "schedules/x", "", 404),
            ] {
                let reply = try await admin(method, path, body)
                #expect(reply.status == status && reply.body.hasPrefix(#"{"error":"#), "\(method) \(path)")
            }
        }
    }

    @Test func aTimeOnAPlainSendIsWarnedOf() async throws {
        try await Bench.run { bench in
            let request = bench.request(
                headers: [
                    "ServiceBusNotification-Format": "template", "ServiceBusNotification-Tags": "World",
                    "ServiceBusNotification-ScheduleTime": Self.inAnHour,
                ], body: "{}")
            let reply = try await bench.exchange(request)
            #expect(reply.status == 201)
            #expect(bench.emulator.warnings.map(\.kind).contains(.scheduleTimeIgnored))
        }
    }
}
