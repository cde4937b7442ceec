import Testing

/// The protocol walked through completely: two workers, a rescuer that trusts no lease, a person who cancels and sends
/// again, a crash at every step.
@Suite struct ProtocolTests {
    @Test func noInterleavingLosesOrRepeatsAMessage() {
        let walk = ProtocolWalk(ProtocolModel(variant: .asBuilt))
        #expect(walk.broken == nil, "\(walk.broken.map { "\($0.promise): \($0.way)" } ?? "")")
        // A walk that saw little has shown little.
        #expect(walk.states > 10_000, "\(walk.states) states, \(walk.steps) steps")
        print("protocol model: \(walk.states) states, \(walk.steps) steps, nothing broken")
    }

    /// What is taken away, whether a person cancels meanwhile, and which promise that must break.
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
        let walk = ProtocolWalk(model)
        let broken = try #require(walk.broken, "\(variant) was not found out in \(walk.states) states")
        #expect(broken.promise.contains(promise), "\(broken.way)")
        print(
            "protocol model: \(variant): \(broken.promise), found after \(walk.states) states:",
            broken.way.joined(separator: "; "))
    }

    @Test func everyPartIsTakenAwayOnce() {
        #expect(Set(Self.broken.map(\.0)) == Set(ProtocolModel.Variant.allCases).subtracting([.asBuilt]))
    }
}
