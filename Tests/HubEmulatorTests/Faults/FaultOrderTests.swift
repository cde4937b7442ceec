import Foundation
import HTTPTypes
import Testing

@testable import HubEmulator

/// What can be ordered beside statuses and closings, as the client meets it.
@Suite struct FaultOrderTests {
    @Test func aFaultStrikesTheOperationItIsMeantFor() async throws {
        try await Bench.run { bench in
            try bench.emulator.add(fault: #"{"operation":["installation","registration"],"status":503}"#)
            let installation = try await bench.exchange(
                bench.request("GET", "/news/installations/i", token: bench.token("all"), headers: [:]))
            #expect(installation.status == 503)
            let list = try await bench.exchange(
                bench.request("GET", "/news/registrations", token: bench.token("all"), headers: [:]))
            #expect(list.status == 503)
            #expect(try await bench.exchange(bench.send(to: "World")).status == 201)
            #expect(bench.emulator.faults.map(\.struck) == [2])
        }
    }

    @Test func aLostAnswerOfAnInstallationLeavesTheDeviceBehind() async throws {
        try await Bench.run { bench in
            try bench.emulator.add(fault: #"{"operation":"installation","close":"after-body","taken":true}"#)
            let client = try bench.client()
            try await client.write(
                bench.request(
                    "PUT", "/news/installations/i", token: bench.token("all"), headers: [:],
                    body: #"{"installationId":"i","platform":"gcm","pushChannel":"AB"}"#))
            #expect(await client.ending() == .ended)
            #expect(try bench.emulator.devices(at: "news") == ["i"])
        }
    }

    @Test func aFaultStrikesTheTagItIsMeantFor() async throws {
        try await Bench.run { bench in
            try bench.emulator.add(fault: #"{"tag":"Alice","status":500}"#)
            var statuses: [Int] = []
            for tags in ["bob", "alice", "(bob||ALICE)", "alices", nil] {
                statuses.append(try await bench.exchange(bench.send(to: tags)).status)
            }
            #expect(statuses == [201, 500, 500, 201, 201])
        }
    }

    /// The emulator's clock stands still, then goes on by hand.
    @Test(arguments: [(#"{"rate":0.5,"burst":2}"#, 429), (#"{"rate":0.5,"burst":2,"status":403}"#, 403)])
    func aRateLimitLetsTheBurstPassAndSaysWhenTheNextMay(order: String, status: Int) async throws {
        let clock = Clock(Bench.now)
        try await Bench.run({ $0.now = { clock.now } }) { bench in
            try bench.emulator.add(fault: order)
            var statuses: [Int] = []
            var waits: [String?] = []
            for step in [0.0, 0, 0, 0.5, 1.5, 0] {
                clock.advance(step)
                let reply = try await bench.exchange(bench.send(to: "World"))
                statuses.append(reply.status)
                waits.append(reply.headers["retry-after"])
            }
            #expect(statuses == [201, 201, status, status, 201, status])
            #expect(waits == [nil, nil, "2", "2", nil, "2"])
        }
    }

    @Test func aSkewedClockDatesTheAnswerAndExpiresTheToken() async throws {
        try await Bench.run { bench in
            try bench.emulator.add(fault: #"{"skewSeconds":7200}"#)
            let reply = try await bench.exchange(bench.send(to: "World"))
            #expect(reply.status == 401)
            #expect(reply.body.contains("ExpiredToken"))
            #expect(reply.headers["date"] == "Fri, 15 Jan 2027 10:00:00 GMT")
            let longer = bench.token(expiry: Int64(Bench.now) + 7_201)
            #expect(try await bench.exchange(bench.request(token: longer, body: "{}")).status == 201)
        }
    }

    @Test(arguments: [("primary", [401, 201]), ("both", [401, 401])])
    func aRotatedKeyNoLongerHolds(keys: String, statuses: [Int]) async throws {
        try await Bench.run { bench in
            let number = try bench.emulator.add(fault: #"{"rotated":"\#(keys)"}"#)
            let tokens = [bench.token(), bench.token(key: "the other key")]
            var seen: [Int] = []
            for token in tokens {
                seen.append(try await bench.exchange(bench.request(token: token, body: "{}")).status)
            }
            #expect(seen == statuses)
            #expect(bench.emulator.removeFault(number))
            #expect(try await bench.exchange(bench.send(to: "World")).status == 201)
        }
    }

    /// A condition of the hub and a spoilt answer do not exclude each other.
    @Test func aSkewedClockStrikesBesideAnotherFault() async throws {
        try await Bench.run { bench in
            try bench.emulator.add(fault: #"{"skewSeconds":-3600}"#)
            try bench.emulator.add(fault: #"{"nth":1,"status":503}"#)
            let reply = try await bench.exchange(bench.send(to: "World"))
            #expect(reply.status == 503)
            #expect(reply.headers["date"] == "Fri, 15 Jan 2027 07:00:00 GMT")
            #expect(bench.emulator.journal().map(\.fault) == [2])
            #expect(bench.emulator.faults.map(\.struck) == [1, 1])
        }
    }

    @Test func anAnswerEndsAfterItsHead() async throws {
        try await Bench.run { bench in
            for isReset in [false, true] {
                bench.emulator.clearFaults()
                try bench.emulator.add(fault: #"{"status":503,"close":"after-head","reset":\#(isReset)}"#)
                let client = try bench.client()
                try await client.write(bench.send(to: "World"))
                let head = String(decoding: try await client.some(), as: UTF8.self)
                #expect(head.hasPrefix("HTTP/1.1 503 "))
                #expect(head.hasSuffix("\r\n\r\n"))
                #expect(await client.ending() == (isReset ? .broken(ECONNRESET) : .ended))
            }
        }
    }

    @Test func aRandomDelayStaysWithinItsBoundsAndRepeats() throws {
        func waits(_ seed: UInt64) throws -> [Int] {
            var fault = Fault(.every(1))
            fault.delayMilliseconds = 10
            fault.delayUpToMilliseconds = 500
            fault.seed = seed
            let script = FaultScript()
            _ = try script.add(fault)
            return (0..<200).map { _ in script.delay() }
        }
        let first = try waits(3), again = try waits(3), other = try waits(4)
        #expect(first == again)
        #expect(first != other)
        #expect(first.allSatisfy { (10...500).contains($0) })
        #expect(Set(first).count > 50)
    }

    @Test func oneFaultIsReadAndRemovedOverHTTP() async throws {
        try await Bench.run { bench in
            let set = try await bench.exchange(
                bench.request(
                    "POST", "/_emulator/faults", token: "", headers: [:],
                    body: #"[{"nth":1,"status":500},{"every":1,"status":503}]"#))
            #expect(set.body == #"{"numbers":[1,2]}"#)
            #expect(try await bench.exchange(bench.send(to: "World")).status == 500)
            let one = try await bench.exchange(bench.request("GET", "/_emulator/faults/1", token: "", headers: [:]))
            #expect(one.body == #"{"fault":{"nth":1,"status":500},"number":1,"struck":1}"#)
            let gone = try await bench.exchange(bench.request("DELETE", "/_emulator/faults/2", token: "", headers: [:]))
            #expect(gone.status == 204)
            #expect(try await bench.exchange(bench.send(to: "World")).status == 201)
            let again = try await bench.exchange(
                bench.request("DELETE", "/_emulator/faults/2", token: "", headers: [:]))
            #expect(again.status == 400)
        }
    }

    /// One that is refused leaves none of its list behind.
    @Test func aListOfFaultsIsSetWholeOrNotAtAll() async throws {
        try await Bench.run { bench in
            let many = "[" + Array(repeating: #"{"status":500}"#, count: 1_001).joined(separator: ",") + "]"
            let reply = try await bench.exchange(
                bench.request("POST", "/_emulator/faults", token: "", headers: [:], body: many))
            #expect(reply.status == 400)
            #expect(bench.emulator.faults.isEmpty)
        }
    }

    @Test func faultsOfTheSettingsAreThereFromTheStart() async throws {
        try await Bench.run({ $0.faults = [Fault(.nth(1), hub: "news", status: 410)] }) { bench in
            let first = try await bench.exchange(bench.send(to: "World"))
            let second = try await bench.exchange(bench.send(to: "World"))
            #expect(first.status == 410)
            #expect(second.status == 201)
        }
        #expect(throws: EmulatorError.self) {
            var settings = EmulatorSettings(hubs: [.init("news")])
            settings.faults = [Fault(.nth(1), hub: "other", status: 410)]
            _ = try HubEmulator(settings)
        }
    }
}

extension HubEmulator {
    @discardableResult
    fileprivate func add(fault json: String) throws -> Int {
        let faults = try Fault.list(json: Array(json.utf8))
        return try add(try #require(faults.first))
    }
}

extension FaultScript {
    fileprivate func delay() -> Int {
        let request = HTTPRequest(method: .post, scheme: "http", authority: "x", path: "/news/messages")
        return EmulatorRequest(request).map { strike($0, hub: "news", now: 0).delayMilliseconds } ?? -1
    }
}
