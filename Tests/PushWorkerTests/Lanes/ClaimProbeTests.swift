import PushModel
import Store
import Testing

@testable import PushWorker

/// Which message a held hub is tried with.
@Suite struct ClaimProbeTests {
    /// - Parameter leads: of the messages 1, 2, 3 ...
    private static func claim(_ leads: Int64...) -> Claim {
        Claim(
            id: 1,
            messages: leads.enumerated().map { index, lead in
                Message(
                    id: Int64(index + 1), lead: lead, target: .tag("World"), content: "{}", expiresAt: .infinity)
            }, position: .start)
    }

    /// - Parameter refused: when which message was refused.
    private static func probe(_ claim: Claim, refused: [Int64: Double]) -> (probe: [Int64], others: [Int64]) {
        let (probe, others) = claim.probe { refused[$0] }
        #expect(probe.id == claim.id)
        return (probe.messages.map(\.id), others)
    }

    @Test func oneThatWasNeverRefused() {
        #expect(Self.probe(Self.claim(1, 2), refused: [1: 10]) == ([2], [1]))
        #expect(Self.probe(Self.claim(1, 2), refused: [2: 10]) == ([1], [2]))
        #expect(Self.probe(Self.claim(1, 2), refused: [:]) == ([1], [2]))
    }

    @Test func orTheOneThatWasRefusedLongestAgo() {
        #expect(Self.probe(Self.claim(1, 2), refused: [1: 11, 2: 10]) == ([2], [1]))
        #expect(Self.probe(Self.claim(1, 2), refused: [1: 10, 2: 11]) == ([1], [2]))
        #expect(Self.probe(Self.claim(1), refused: [1: 10]) == ([1], []))
    }

    /// Translations travel together, and one that was refused speaks for its content.
    @Test func aContentStaysWhole() {
        #expect(Self.probe(Self.claim(1, 1, 3, 3), refused: [2: 10]) == ([3, 4], [1, 2]))
    }
}
