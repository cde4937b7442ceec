import HTTPTypes
import Testing

@testable import HubEmulator

@Suite struct FaultScriptTests {
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

    @Test func everyHubHasItsOwnCount() throws {
        let script = FaultScript()
        _ = try script.add(Fault(.nth(2), status: 500))
        _ = try script.add(Fault(.nth(1), hub: "Sports", status: 503))
        #expect(["news", "sports", "news", "sports"].map { script.strike($0) } == [nil, 2, 1, 1])
    }

    @Test func aSeededDelayStaysInRangeAndRepeats() throws {
        func delays(_ seed: UInt64) throws -> [Int] {
            var fault = Fault(.every(1))
            fault.delayMilliseconds = 10
            fault.delayUpToMilliseconds = 500
            fault.seed = seed
            let script = FaultScript()
            _ = try script.add(fault)
            return (0..<200).map { _ in script.delay() }
        }
        let first = try delays(3), again = try delays(3), other = try delays(4)
        #expect(first == again)
        #expect(first != other)
        #expect(first.allSatisfy { (10...500).contains($0) })
        #expect(Set(first).count > 50)
    }
}

extension FaultScript {
    /// - Returns: the number of the fault that acts on a send.
    func strike(_ hub: String, now: Double = 0) -> Int? {
        let request = HTTPRequest(method: .post, scheme: "http", authority: "x", path: "/\(hub)/messages")
        return EmulatorRequest(request).flatMap { strike($0, hub: hub, now: now).number }
    }

    fileprivate func delay() -> Int {
        let request = HTTPRequest(method: .post, scheme: "http", authority: "x", path: "/news/messages")
        return EmulatorRequest(request).map { strike($0, hub: "news", now: 0).delayMilliseconds } ?? -1
    }
}
