import Testing

@testable import HubEmulator

@Suite struct FaultTextTests {
    @Test func aFaultIsDescribedInWords() {
        var fault = Fault(.every(22), status: 429)
        fault.retryAfter = .seconds(2)
        #expect(fault.momentText == "every 22nd send" && fault.effectText == "429, Retry-After 2 s")
        #expect(Fault(.nth(11), closing: .afterBody).momentText == "the 11th send")
        #expect(Fault(.probability(0.125, seed: 1), status: 500).momentText == "12.5 % of the sends")
        #expect(Fault(.next(1_500), closing: .beforeBody).effectText == "closed before the body")
    }
}
