import Testing

@testable import Chaos

@Suite struct DeviceGeneratorTests {
    private static func transactions(seed: UInt64, count: Int = 2_000) -> [DeviceGenerator.Transaction] {
        var generator = DeviceGenerator(seed: seed)
        return (0..<count).map { _ in generator.next() }
    }

    @Test func aSeedRepeatsTheChanges() {
        #expect(Self.transactions(seed: 3) == Self.transactions(seed: 3))
        #expect(Self.transactions(seed: 3) != Self.transactions(seed: 4))
    }

    @Test func everyKindIsAskedFor() {
        let transactions = Self.transactions(seed: 1)
        let calls = transactions.flatMap(\.calls)
        #expect(Set(calls.map(\.action)) == [.put, .patch, .drop])
        #expect(Set(calls.map(\.hub)) == ["news", "local"])
        #expect(Set(calls.map { "\($0.hub) \($0.device)" }).count > 250)
        #expect(transactions.contains { $0.calls.count > 1 && !$0.isKept })
        #expect(calls.contains { $0.templates?.contains("null") == true })
        #expect(Set(calls.compactMap(\.handle)).count == calls.compactMap(\.handle).count)
    }

    /// Otherwise two of them could lock each other out.
    @Test func aTransactionGoesThroughItsDevicesInOrder() {
        for transaction in Self.transactions(seed: 1) {
            let names = transaction.calls.map { "\($0.hub) \($0.device)" }
            #expect(names == names.sorted())
        }
    }

    @Test func everyPatchChangesSomething() {
        for call in Self.transactions(seed: 1).flatMap(\.calls) where call.action == .patch {
            #expect(
                !call.tags.isEmpty || !call.removed.isEmpty || call.handle != nil || call.user != nil
                    || call.templates != nil)
            #expect(Set(call.tags).isDisjoint(with: call.removed))
        }
    }
}
