import Foundation
import HTTPTypes
import Testing

@testable import HubEmulator

/// Further options of faults, over HTTP: operations, tags, rates, clocks, keys.
@Suite struct FaultOptionTests {
    @Test func aFaultStrikesOnlyItsOperations() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.add(fault: #"{"operation":["installation","registration"],"status":503}"#)
            let installation = try await fixture.exchange(
                fixture.request("GET", "/news/installations/i", token: fixture.token("all"), headers: [:]))
            #expect(installation.status == 503)
            let list = try await fixture.exchange(
                fixture.request("GET", "/news/registrations", token: fixture.token("all"), headers: [:]))
            #expect(list.status == 503)
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
            #expect(fixture.emulator.faults.map(\.struck) == [2])
        }
    }

    @Test func aLostResponseStillRegistersTheDevice() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.add(fault: #"{"operation":"installation","close":"after-body","taken":true}"#)
            let client = try fixture.client()
            try await client.write(
                fixture.request(
                    "PUT", "/news/installations/i", token: fixture.token("all"), headers: [:],
                    body: #"{"installationId":"i","platform":"gcm","pushChannel":"AB"}"#))
            #expect(await client.ending() == .ended)
            #expect(try fixture.emulator.devices(at: "news") == ["i"])
        }
    }

    @Test func aFaultStrikesOnlyItsTag() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.add(fault: #"{"tag":"Alice","status":500}"#)
            var statuses: [Int] = []
            for tags in ["bob", "alice", "(bob||ALICE)", "alices", nil] {
                statuses.append(try await fixture.exchange(fixture.send(to: tags)).status)
            }
            #expect(statuses == [201, 500, 500, 201, 201])
        }
    }

    /// The emulator's clock stands still and is advanced by hand.
    @Test(arguments: [(#"{"rate":0.5,"burst":2}"#, 429), (#"{"rate":0.5,"burst":2,"status":403}"#, 403)])
    func aRateLimitAllowsABurstAndSaysWhenToRetry(order: String, status: Int) async throws {
        let clock = Clock(EmulatorFixture.now)
        try await EmulatorFixture.run({ $0.now = { clock.now } }) { fixture in
            try fixture.emulator.add(fault: order)
            var statuses: [Int] = []
            var waits: [String?] = []
            for step in [0.0, 0, 0, 0.5, 1.5, 0] {
                clock.advance(step)
                let reply = try await fixture.exchange(fixture.send(to: "World"))
                statuses.append(reply.status)
                waits.append(reply.headers["retry-after"])
            }
            #expect(statuses == [201, 201, status, status, 201, status])
            #expect(waits == [nil, nil, "2", "2", nil, "2"])
        }
    }

    @Test func aSkewedClockChangesDateAndTokenExpiry() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.add(fault: #"{"skewSeconds":7200}"#)
            let reply = try await fixture.exchange(fixture.send(to: "World"))
            #expect(reply.status == 401)
            #expect(reply.body.contains("ExpiredToken"))
            #expect(reply.headers["date"] == "Fri, 15 Jan 2027 10:00:00 GMT")
            let longer = fixture.token(expiry: Int64(EmulatorFixture.now) + 7_201)
            #expect(try await fixture.exchange(fixture.request(token: longer, body: "{}")).status == 201)
        }
    }

    @Test(arguments: [("primary", [401, 201]), ("both", [401, 401])])
    func aRotatedKeyIsRefused(keys: String, statuses: [Int]) async throws {
        try await EmulatorFixture.run { fixture in
            let number = try fixture.emulator.add(fault: #"{"rotated":"\#(keys)"}"#)
            let tokens = [fixture.token(), fixture.token(key: "the other key")]
            var seen: [Int] = []
            for token in tokens {
                seen.append(try await fixture.exchange(fixture.request(token: token, body: "{}")).status)
            }
            #expect(seen == statuses)
            #expect(fixture.emulator.removeFault(number))
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
        }
    }

    /// A key that was changed is changed for every operation, unless the fault names some.
    @Test func aRotatedKeyIsRefusedByEveryOperation() async throws {
        try await EmulatorFixture.run { fixture in
            let requests = {
                [
                    fixture.request(token: fixture.token("all"), body: "{}"),
                    fixture.request("GET", "/news/installations/nobody", token: fixture.token("all")),
                    fixture.request("GET", "/news/registrations", token: fixture.token("all")),
                ]
            }
            try fixture.emulator.add(fault: #"{"rotated":"both"}"#)
            for request in requests() { #expect(try await fixture.exchange(request).status == 401) }
            fixture.emulator.clearFaults()
            try fixture.emulator.add(fault: #"{"rotated":"both","operation":"installation"}"#)
            var seen: [Int] = []
            for request in requests() { seen.append(try await fixture.exchange(request).status) }
            #expect(seen == [201, 401, 200])
        }
    }

    /// A condition of the hub and a spoilt answer do not exclude each other.
    @Test func aSkewedClockCombinesWithAnotherFault() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.add(fault: #"{"skewSeconds":-3600}"#)
            try fixture.emulator.add(fault: #"{"nth":1,"status":503}"#)
            let reply = try await fixture.exchange(fixture.send(to: "World"))
            #expect(reply.status == 503)
            #expect(reply.headers["date"] == "Fri, 15 Jan 2027 07:00:00 GMT")
            #expect(fixture.emulator.journal().map(\.fault) == [2])
            #expect(fixture.emulator.faults.map(\.struck) == [1, 1])
        }
    }

    @Test func aResponseCanEndAfterItsHead() async throws {
        try await EmulatorFixture.run { fixture in
            for isReset in [false, true] {
                fixture.emulator.clearFaults()
                try fixture.emulator.add(fault: #"{"status":503,"close":"after-head","reset":\#(isReset)}"#)
                let client = try fixture.client()
                try await client.write(fixture.send(to: "World"))
                let head = String(decoding: try await client.some(), as: UTF8.self)
                #expect(head.hasPrefix("HTTP/1.1 503 "))
                #expect(head.hasSuffix("\r\n\r\n"))
                #expect(await client.ending() == (isReset ? .broken(ECONNRESET) : .ended))
            }
        }
    }

    @Test func faultsInTheSettingsAreActiveFromTheStart() async throws {
        try await EmulatorFixture.run({ $0.faults = [Fault(.nth(1), hub: "news", status: 410)] }) { fixture in
            let first = try await fixture.exchange(fixture.send(to: "World"))
            let second = try await fixture.exchange(fixture.send(to: "World"))
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
