import Foundation
import HTTPTypes
import Testing

@testable import HubEmulator

/// Every fault as the client meets it.
@Suite struct FaultTests {
    private func outcomes(_ count: Int, _ bench: Bench) async throws -> [Int] {
        var statuses: [Int] = []
        for _ in 0..<count { statuses.append(try await bench.exchange(bench.send(to: "World")).status) }
        return statuses
    }

    @Test(arguments: [
        (Fault.Moment.nth(2), [201, 503, 201, 201, 201]), (.every(2), [201, 503, 201, 503, 201]),
        (.next(2), [503, 503, 201, 201, 201]), (.probability(0, seed: 1), [201, 201, 201, 201, 201]),
        (.probability(1, seed: 1), [503, 503, 503, 503, 503]),
    ])
    func aFaultStrikesTheSendsItWasOrderedFor(moment: Fault.Moment, statuses: [Int]) async throws {
        try await Bench.run { bench in
            try bench.emulator.add(Fault(moment, hub: "NEWS", status: 503))
            #expect(try await outcomes(5, bench) == statuses)
            #expect(bench.emulator.journal().map(\.taken) == statuses.map { $0 == 201 })
            #expect(bench.emulator.faults.first?.struck == statuses.count { $0 == 503 })
        }
    }

    @Test func theSameSeedStrikesTheSameSends() throws {
        func pattern(_ seed: UInt64) throws -> [Bool] {
            let script = FaultScript()
            _ = try script.add(Fault(.probability(0.5, seed: seed), status: 500))
            return (0..<64).map { _ in script.strike("news") != nil }
        }
        #expect(try pattern(7) == pattern(7))
        #expect(try pattern(7) != pattern(8))
        #expect(try (16...48).contains(pattern(7).count { $0 }))
    }

    @Test func hubsAreCountedEachOnItsOwn() throws {
        let script = FaultScript()
        _ = try script.add(Fault(.nth(2), status: 500))
        _ = try script.add(Fault(.nth(1), hub: "Sports", status: 503))
        #expect(["news", "sports", "news", "sports"].map { script.strike($0) } == [nil, 2, 1, 1])
    }

    @Test func retryAfterComesInAllItsForms() async throws {
        try await Bench.run { bench in
            for form in [
                Fault.RetryAfter.seconds(7), .date(inSeconds: 90), .milliseconds(1_500), .plainMilliseconds(70),
            ] {
                var fault = Fault(.nth(1), status: 429)
                fault.retryAfter = form
                bench.emulator.clearFaults()
                try bench.emulator.add(fault)
                let reply = try await bench.exchange(bench.send(to: "World"))
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

    @Test func aProxyAnswersWithAWebPage() async throws {
        try await Bench.run { bench in
            var fault = Fault(.nth(1), status: 502)
            fault.html = true
            try bench.emulator.add(fault)
            let reply = try await bench.exchange(bench.send(to: "World"))
            #expect(reply.status == 502)
            #expect(reply.headers["content-type"] == "text/html")
            #expect(reply.body.hasPrefix("<html>"))
        }
    }

    @Test(arguments: [(Fault.Closing.beforeBody, false), (.beforeBody, true), (.afterBody, false), (.afterBody, true)])
    func theConnectionCloses(closing: Fault.Closing, reset: Bool) async throws {
        try await Bench.run { bench in
            var fault = Fault(.nth(1), closing: closing)
            fault.reset = reset
            let number = try bench.emulator.add(fault)
            let client = try bench.client()
            let request = bench.send(to: "World")
            // Before the body: the head alone is enough, so that the close cannot be an answer to anything else.
            try await client.write(closing == .beforeBody ? String(request.dropLast(9)) : request)
            let ending = await client.ending()
            #expect(reset ? ending == .broken(ECONNRESET) : ending == .ended)
            let entry = try #require(bench.emulator.journal().first)
            #expect(entry.status == nil && !entry.taken && entry.fault == number)
            #expect(entry.body == (closing == .beforeBody ? nil : #"{"m":"x"}"#))
            #expect(try await outcomes(1, bench) == [201])
        }
    }

    @Test func aTakenSendWhoseAnswerIsLostReachesItsDevice() async throws {
        try await Bench.run { bench in
            try bench.emulator.register(
                Installation("i", pushChannel: .handle("AB"), tags: ["World"], templates: ["t": #"{"a":"$(m)"}"#]),
                at: "news")
            var lost = Fault(.nth(1), closing: .afterBody)
            lost.taken = true
            try bench.emulator.add(lost)
            var wrong = Fault(.nth(2), status: 500)
            wrong.taken = true
            try bench.emulator.add(wrong)

            let client = try bench.client()
            try await client.write(bench.send(to: "World"))
            #expect(await client.ending() == .ended)
            #expect(try await outcomes(1, bench) == [500])
            #expect(bench.emulator.journal().map(\.taken) == [true, true])
            #expect(bench.emulator.journal().map(\.status) == [nil, 500])
            #expect(try bench.emulator.inbox(of: "i", at: "news").map(\.number) == [1, 2])
        }
    }

    @Test func aSendTheHubWouldRefuseIsNotTakenByAFaultEither() async throws {
        try await Bench.run { bench in
            var fault = Fault(.every(1), status: 500)
            fault.taken = true
            try bench.emulator.add(fault)
            let reply = try await bench.exchange(bench.request(token: "", body: "{}"))
            #expect(reply.status == 500)
            let entry = try #require(bench.emulator.journal().first)
            #expect(!entry.taken)
            #expect(entry.refusal?.hasPrefix("MissingToken") == true)
        }
    }

    /// No hub says 2xx to what it has not taken, not even in an answer that is broken off.
    @Test(arguments: [nil, Fault.Closing.afterHead])
    func aSendTheHubRefusesIsNotSaidToBeTaken(closing: Fault.Closing?) async throws {
        try await Bench.run { bench in
            var fault = Fault(.every(1), status: 201, closing: closing)
            fault.taken = true
            try bench.emulator.add(fault)
            let client = try bench.client()
            try await client.write(bench.request(token: "", body: "{}"))
            let beginning = String(decoding: try await client.some(), as: UTF8.self)
            #expect(beginning.hasPrefix("HTTP/1.1 401 "), "\(beginning)")
            let entry = try #require(bench.emulator.journal().first)
            #expect(!entry.taken && entry.status == 401)
        }
    }

    @Test func anAnswerBreaksOffInTheMiddle() async throws {
        try await Bench.run { bench in
            try bench.emulator.add(Fault(.nth(1), status: 503, closing: .midAnswer))
            let client = try bench.client()
            try await client.write(bench.send(to: "World"))
            await #expect(throws: Client.Failure.ended) { try await client.reply() }
        }
    }

    /// No clock is looked at: until the sleeping answer is cut off by `stop`, the client has nothing in its hands, and
    /// the send is in the journal all the same.
    @Test func aDelayedAnswerKeepsTheClientWaitingAndStopDoesNotWaitForIt() async throws {
        try await Bench.run { bench in
            var fault = Fault(.nth(1))
            fault.delayMilliseconds = 600_000
            try bench.emulator.add(fault)
            let client = try bench.client()
            try await client.write(bench.send(to: "World"))
            try await bench.emulator.wait(untilTaken: 1)
            await bench.emulator.stop()
            await #expect(throws: Client.Failure.self) { try await client.reply() }
        }
    }

    @Test func aTrickledAnswerArrivesWholeAndTakesItsTime() async throws {
        try await Bench.run { bench in
            var fault = Fault(.nth(1), status: 503)
            fault.trickleMilliseconds = 5
            try bench.emulator.add(fault)
            let client = try bench.client()
            let began = ContinuousClock.now
            try await client.write(bench.send(to: "World"))
            let reply = try await client.reply()
            #expect(reply.body.contains("<Code>503</Code>"))
            // A byte at a time cannot be faster, however busy the machine is.
            #expect(began.duration(to: .now) > .milliseconds(5 * (reply.body.utf8.count - 2)))
        }
    }
}

extension FaultScript {
    /// - Returns: the number of the fault that acts on a send to nobody.
    func strike(_ hub: String, now: Double = 0) -> Int? {
        let request = HTTPRequest(method: .post, scheme: "http", authority: "x", path: "/\(hub)/messages")
        return EmulatorRequest(request).flatMap { strike($0, hub: hub, now: now).number }
    }
}
