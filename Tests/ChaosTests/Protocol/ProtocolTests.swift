import Testing

/// All interleavings of the protocol: two workers, a rescuer that trusts no lease, a person who cancels and resends, a crash
/// at every step.
@Suite struct ProtocolTests {
    @Test func noInterleavingLosesOrRepeatsAMessage() {
        let search = ProtocolSearch(ProtocolModel(variant: .asBuilt))
        #expect(search.broken == nil, "\(search.broken.map { "\($0.promise): \($0.way)" } ?? "")")
        // A search that saw few states has proved little.
        #expect(search.states > 10_000, "\(search.states) states, \(search.steps) steps")
        print("protocol model: \(search.states) states, \(search.steps) steps, nothing broken")
    }

    /// What is removed, whether a person cancels meanwhile, and which promise breaks.
    private static let broken: [(ProtocolModel.Variant, isCancelled: Bool, promise: String)] = [
        (.intentOnlyLooks, false, "sent twice"),
        (.intentOnlyLooks, true, "after its cancellation"),
        (.intentLocksTheKeyOnly, true, "after its cancellation"),
        (.postsBeforeIntent, false, "sent twice"),
        (.rescueReadsFirst, false, "sent twice"),
        (.rescueIgnoresPosts, false, "sent twice"),
        (.completionIgnoresTheClaim, false, "a completion without a claim"),
        (.lateAnswerSettlesAnyDoubt, false, "a completion without a claim"),
    ]

    @Test(arguments: broken)
    func everyPartOfTheProtocolIsNeeded(variant: ProtocolModel.Variant, isCancelled: Bool, promise: String) throws {
        var model = ProtocolModel(variant: variant)
        model.isCancelled = isCancelled
        let search = ProtocolSearch(model)
        let broken = try #require(search.broken, "\(variant) broke no promise in \(search.states) states")
        #expect(broken.promise.contains(promise), "\(broken.way)")
        print(
            "protocol model: \(variant): \(broken.promise), found after \(search.states) states:",
            broken.way.joined(separator: "; "))
    }

    @Test func everyPartIsRemovedOnce() {
        #expect(Set(Self.broken.map(\.0)) == Set(ProtocolModel.Variant.allCases).subtracting([.asBuilt]))
    }
}
