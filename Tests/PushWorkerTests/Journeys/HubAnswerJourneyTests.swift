import HubEmulator
import PushModel
import Signing
import TestSupport
import Testing

/// What becomes of messages that the hub does not simply take.
@Suite struct HubAnswerJourneyTests {
    @Test func aThrottledHubWaitsAsAskedAndCostsNoAttempt() async throws {
        let worker = try await TestWorker.make()
        var fault = Fault(.next(3), status: 429)
        fault.retryAfter = .milliseconds(300)
        try worker.emulator.add(fault)
        try await worker.enqueue(50)

        let summary = try await worker.drain()

        #expect(summary.accepted == 50)
        #expect(Set(worker.taken).count == 50)
        #expect(try await worker.test.number("SELECT count(*) FROM push.hub_state WHERE gate_until IS NOT NULL") == 1)
        #expect(try await worker.test.number("SELECT count(*) FROM push.result WHERE reason = 'throttled'") > 0)
        #expect(try await worker.lost() == [])
    }

    /// A wrong date of a proxy must not stop a hub for a day.
    @Test func aHubThatAsksForADayIsTriedAgainAfterAnHour() async throws {
        let worker = try await TestWorker.make()
        var fault = Fault(.every(1), status: 429)
        fault.retryAfter = .seconds(86_400)
        try worker.emulator.add(fault)
        try await worker.enqueue(1)
        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.hub_state WHERE gate_until IS NOT NULL")
            try await worker.until("SELECT count(*) FROM push.due")
        }
        #expect(
            try await worker.test.number(
                """
                SELECT count(*) FROM push.hub_state
                 WHERE gate_until BETWEEN clock_timestamp() + '55 min' AND clock_timestamp() + '61 min'
                """) == 1)
        #expect(try await worker.test.number("SELECT count(*) FROM push.due WHERE due_at < now() + '62 min'") == 1)
    }

    @Test(arguments: [500, 502, 503, 408])
    func anUnavailableHubIsTriedAgain(status: Int) async throws {
        let worker = try await TestWorker.make()
        try worker.emulator.add(Fault(.next(2), status: status))
        try await worker.enqueue(3)

        let summary = try await worker.drain()

        #expect(summary.accepted == 3)
        #expect(summary.rejected == 0)
        #expect(try await worker.lost() == [])
    }

    @Test func aRefusedMessageIsFinalAndSaysWhy() async throws {
        let worker = try await TestWorker.make()
        try worker.emulator.add(Fault(.nth(1), status: 400))
        try await worker.enqueue(1)

        try await worker.drain()

        #expect(try await worker.statuses() == "rejected 1")
        #expect(
            try await worker.test.texts("SELECT reason || ' ' || class || ' ' || http FROM push.message_status")
                == ["bad_request content 400"])
        #expect(worker.emulator.count().taken == 0)
    }

    @Test func aLostAnswerIsInDoubtAndNeverRepeatedSilently() async throws {
        let worker = try await TestWorker.make()
        var fault = Fault(.nth(1), closing: .afterBody)
        fault.taken = true
        try worker.emulator.add(fault)
        try await worker.enqueue(1)

        let summary = try await worker.drain()

        #expect(summary.inDoubt == 1)
        #expect(try await worker.statuses() == "in_doubt 1")
        #expect(worker.taken.count == 1)
        #expect(try await worker.test.number("SELECT count(*) FROM push.in_doubt") == 1)
        #expect(try await worker.lost() == [])
    }

    @Test func aMessageThatAsksForItIsResentInDoubt() async throws {
        let worker = try await TestWorker.make()
        var fault = Fault(.nth(1), closing: .afterBody)
        fault.taken = true
        try worker.emulator.add(fault)
        try await worker.enqueue(1, options: "on_doubt='resend'")

        try await worker.drain()

        #expect(try await worker.statuses() == "accepted 1")
        #expect(worker.taken.count == 2)
        #expect(try await worker.test.number("SELECT posts FROM push.message_status") == 2)
    }

    @Test func aPersonDecidesWhatIsInDoubt() async throws {
        let worker = try await TestWorker.make()
        try worker.emulator.add(Fault(.nth(1), closing: .afterBody))
        try await worker.enqueue(1)
        try await worker.drain()

        #expect(try await worker.test.number("SELECT push.resolve(ARRAY(SELECT id FROM push.in_doubt), 'resend')") == 1)
        try await worker.drain()

        #expect(try await worker.statuses() == "accepted 1")
        #expect(try await worker.lost() == [])
    }

    @Test func aHubThatDoesNotListenKeepsItsMessages() async throws {
        var worker = try await TestWorker.make()
        worker.connectionString = Secret(
            "Endpoint=http://127.0.0.1:1/;SharedAccessKeyName=emulator;SharedAccessKey=ZW11bGF0b3I=")
        try await worker.enqueue(20)
        let working = worker

        let summary = try await worker.whileWorking { _ in
            try await working.until("SELECT count(*) FROM push.result WHERE reason = 'not_sent'") { $0 >= 6 }
        }

        #expect(summary.rejected == 0)
        #expect(summary.inDoubt == 0)
        #expect(try await worker.test.number("SELECT max(attempt) FROM push.due") == 0)
        #expect(try await worker.test.number("SELECT count(*) FROM push.due") == 20)
        #expect(try await worker.lost() == [])
        worker.connectionString = nil
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 20")
    }

    @Test func aWrongKeyHoldsTheHubAndKeepsItsMessages() async throws {
        var worker = try await TestWorker.make()
        let port = try #require(worker.emulator.port)
        worker.connectionString = Secret(
            "Endpoint=http://127.0.0.1:\(port)/;SharedAccessKeyName=emulator;SharedAccessKey=d3Jvbmc=")
        try await worker.enqueue(10)
        let working = worker

        let summary = try await worker.whileWorking { _ in
            try await working.until("SELECT count(*) FROM push.hub_health WHERE state = 'held'")
        }

        #expect(summary.rejected == 0)
        #expect(try await worker.lost() == [])
        #expect(
            try await worker.test.texts("SELECT why FROM push.hub_health").first?.contains("refuses every key") == true)
        worker.connectionString = nil
        try await worker.test.database.execute("SELECT push.resume_hub('news')")
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 10")
    }

    @Test func theSecondKeyTakesOverWhenTheFirstIsRefused() async throws {
        var worker = try await TestWorker.make()
        let port = try #require(worker.emulator.port)
        worker.secondary = worker.emulator.connectionString(for: "breaking-news")
        worker.connectionString = Secret(
            "Endpoint=http://127.0.0.1:\(port)/;SharedAccessKeyName=emulator;SharedAccessKey=d3Jvbmc=")
        try await worker.enqueue(10)

        try await worker.drain()

        #expect(try await worker.statuses() == "accepted 10")
        #expect(try await worker.test.number("SELECT count(*) FROM push.hub_health WHERE state = 'open'") == 1)
    }

    @Test(arguments: [404, 403])
    func aMissingHubIsHeldAndProbedWithOneMessage(status: Int) async throws {
        var worker = try await TestWorker.make()
        worker.settings.probeSeconds = 0.5
        try worker.emulator.add(Fault(.next(3), status: status))
        try await worker.enqueue(5)

        let summary = try await worker.drain()

        #expect(summary.accepted == 5)
        #expect(summary.rejected == 0)
        #expect(Set(worker.taken).count == 5)
        #expect(try await worker.test.number("SELECT count(*) FROM push.hub_health WHERE state = 'open'") == 1)
    }

    /// HTML from a proxy, a truncated answer, a slow answer, a reset before the request was read.
    @Test(arguments: ["html", "truncated", "trickle", "reset"])
    func aStrangeAnswerLosesNothing(kind: String) async throws {
        let worker = try await TestWorker.make()
        var fault = Fault(.next(2), status: 503)
        switch kind {
        case "html": fault.html = true
        case "truncated":
            fault.status = 201
            fault.closing = .midAnswer
            fault.taken = true
        case "trickle": fault.trickleMilliseconds = 5
        default:
            fault = Fault(.next(2), closing: .beforeBody)
            fault.reset = true
        }
        try worker.emulator.add(fault)
        try await worker.enqueue(5)

        let summary = try await worker.drain()

        #expect(summary.rejected == 0)
        #expect(summary.accepted + summary.inDoubt == 5)
        #expect(worker.taken.count == Set(worker.taken).count)
        #expect(try await worker.lost() == [])
    }

    @Test func aCancelledMessageIsNotSent() async throws {
        let worker = try await TestWorker.make()
        try await worker.enqueue(3)
        #expect(try await worker.test.texts("SELECT push.cancel(2)") == ["cancelled"])

        try await worker.drain()

        #expect(try await worker.statuses() == "accepted 2, cancelled 1")
        #expect(worker.taken.count == 2)
        #expect(try await worker.test.texts("SELECT push.cancel(1)") == ["too_late"])
    }
}
