import Foundation
import HTTPTypes
import Testing

@testable import HubEmulator

/// Faults as a client sees them.
@Suite struct FaultTests {
    private func sendStatuses(_ count: Int, _ fixture: EmulatorFixture) async throws -> [Int] {
        var statuses: [Int] = []
        for _ in 0..<count { statuses.append(try await fixture.exchange(fixture.send(to: "World")).status) }
        return statuses
    }

    @Test(arguments: [
        (Fault.Moment.nth(2), [201, 503, 201, 201, 201]), (.every(2), [201, 503, 201, 503, 201]),
        (.next(2), [503, 503, 201, 201, 201]), (.probability(0, seed: 1), [201, 201, 201, 201, 201]),
        (.probability(1, seed: 1), [503, 503, 503, 503, 503]),
    ])
    func aFaultStrikesTheSendsOfItsMoment(moment: Fault.Moment, statuses: [Int]) async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.add(Fault(moment, hub: "NEWS", status: 503))
            #expect(try await sendStatuses(5, fixture) == statuses)
            #expect(fixture.emulator.journal().map(\.taken) == statuses.map { $0 == 201 })
            #expect(fixture.emulator.faults.first?.struck == statuses.count { $0 == 503 })
        }
    }

    @Test func retryAfterHasFourForms() async throws {
        try await EmulatorFixture.run { fixture in
            for form in [
                Fault.RetryAfter.seconds(7), .date(inSeconds: 90), .milliseconds(1_500), .plainMilliseconds(70),
            ] {
                var fault = Fault(.nth(1), status: 429)
                fault.retryAfter = form
                fixture.emulator.clearFaults()
                try fixture.emulator.add(fault)
                let reply = try await fixture.exchange(fixture.send(to: "World"))
                #expect(reply.status == 429)
                #expect(reply.body.contains("<Code>429</Code><Detail>SubCode=42900."))
                switch form {
                case .seconds: #expect(reply.headers["retry-after"] == "7")
                case .date: #expect(reply.headers["retry-after"] == "Fri, 15 Jan 2027 08:01:30 GMT")
                case .milliseconds:
                    #expect(reply.headers["x-ms-retry-after-ms"] == "1500")
                    #expect(reply.headers["retry-after"] == nil)
                case .plainMilliseconds:
                    #expect(reply.headers["retry-after-ms"] == "70")
                    #expect(reply.headers["retry-after"] == nil)
                }
            }
        }
    }

    @Test func aFaultCanRespondWithAnHTMLPage() async throws {
        try await EmulatorFixture.run { fixture in
            var fault = Fault(.nth(1), status: 502)
            fault.html = true
            try fixture.emulator.add(fault)
            let reply = try await fixture.exchange(fixture.send(to: "World"))
            #expect(reply.status == 502)
            #expect(reply.headers["content-type"] == "text/html")
            #expect(reply.body.hasPrefix("<html>"))
        }
    }

    @Test(arguments: [(Fault.Closing.beforeBody, false), (.beforeBody, true), (.afterBody, false), (.afterBody, true)])
    func aFaultCanCloseTheConnection(closing: Fault.Closing, reset: Bool) async throws {
        try await EmulatorFixture.run { fixture in
            var fault = Fault(.nth(1), closing: closing)
            fault.reset = reset
            let number = try fixture.emulator.add(fault)
            let client = try fixture.client()
            let request = fixture.send(to: "World")
            // Before the body: send only the head, so that the close must be a response to the head.
            try await client.write(closing == .beforeBody ? String(request.dropLast(9)) : request)
            let ending = await client.ending()
            #expect(reset ? ending == .broken(ECONNRESET) : ending == .ended)
            let entry = try #require(fixture.emulator.journal().first)
            #expect(entry.status == nil && !entry.taken && entry.fault == number)
            #expect(entry.body == (closing == .beforeBody ? nil : #"{"m":"x"}"#))
            #expect(try await sendStatuses(1, fixture) == [201])
        }
    }

    @Test func aTakenSendWithALostResponseIsDelivered() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(
                Installation("i", pushChannel: .handle("AB"), tags: ["World"], templates: ["t": #"{"a":"$(m)"}"#]),
                at: "news")
            var lost = Fault(.nth(1), closing: .afterBody)
            lost.taken = true
            try fixture.emulator.add(lost)
            var wrong = Fault(.nth(2), status: 500)
            wrong.taken = true
            try fixture.emulator.add(wrong)

            let client = try fixture.client()
            try await client.write(fixture.send(to: "World"))
            #expect(await client.ending() == .ended)
            #expect(try await sendStatuses(1, fixture) == [500])
            #expect(fixture.emulator.journal().map(\.taken) == [true, true])
            #expect(fixture.emulator.journal().map(\.status) == [nil, 500])
            #expect(try fixture.emulator.inbox(of: "i", at: "news").map(\.number) == [1, 2])
        }
    }

    @Test func aFaultDoesNotTakeAnInvalidSend() async throws {
        try await EmulatorFixture.run { fixture in
            var fault = Fault(.every(1), status: 500)
            fault.taken = true
            try fixture.emulator.add(fault)
            let reply = try await fixture.exchange(fixture.request(token: "", body: "{}"))
            #expect(reply.status == 500)
            let entry = try #require(fixture.emulator.journal().first)
            #expect(!entry.taken)
            #expect(entry.refusal?.hasPrefix("MissingToken") == true)
        }
    }

    /// No hub sends 2xx for a send that it did not take, not even in a truncated response.
    @Test(arguments: [nil, Fault.Closing.afterHead])
    func aFaultCannotConfirmARefusedSend(closing: Fault.Closing?) async throws {
        try await EmulatorFixture.run { fixture in
            var fault = Fault(.every(1), status: 201, closing: closing)
            fault.taken = true
            try fixture.emulator.add(fault)
            let client = try fixture.client()
            try await client.write(fixture.request(token: "", body: "{}"))
            let beginning = String(decoding: try await client.some(), as: UTF8.self)
            #expect(beginning.hasPrefix("HTTP/1.1 401 "), "\(beginning)")
            let entry = try #require(fixture.emulator.journal().first)
            #expect(!entry.taken && entry.status == 401)
        }
    }

    @Test func aFaultCanTruncateTheResponse() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.add(Fault(.nth(1), status: 503, closing: .midAnswer))
            let client = try fixture.client()
            try await client.write(fixture.send(to: "World"))
            await #expect(throws: Client.Failure.ended) { try await client.reply() }
        }
    }

    /// Until `stop` cuts off the delayed response, the client has received nothing, but the send is in the journal.
    @Test func stopDoesNotWaitForADelayedResponse() async throws {
        try await EmulatorFixture.run { fixture in
            var fault = Fault(.nth(1))
            fault.delayMilliseconds = 600_000
            try fixture.emulator.add(fault)
            let client = try fixture.client()
            try await client.write(fixture.send(to: "World"))
            try await fixture.emulator.wait(untilTaken: 1)
            await fixture.emulator.stop()
            await #expect(throws: Client.Failure.self) { try await client.reply() }
        }
    }

    @Test func aTrickledResponseArrivesCompleteButSlowly() async throws {
        try await EmulatorFixture.run { fixture in
            var fault = Fault(.nth(1), status: 503)
            fault.trickleMilliseconds = 5
            try fixture.emulator.add(fault)
            let client = try fixture.client()
            let began = ContinuousClock.now
            try await client.write(fixture.send(to: "World"))
            let reply = try await client.reply()
            #expect(reply.body.contains("<Code>503</Code>"))
            // One byte at a time cannot be faster.
            #expect(began.duration(to: .now) > .milliseconds(5 * (reply.body.utf8.count - 2)))
        }
    }
}
