import Testing

/// All interleavings of the protocol: two workers, a rescuer that trusts no lease, a person who cancels, erases and resends, a
/// crash at every step, and a fail-over to a standby that lags.
@Suite struct ProtocolTests {
    /// What is tried at the same time: all of it at once would be billions of states.
    enum Scene: CaseIterable {
        case cancel, erase, split, repetition, failOver

        func model(_ variant: ProtocolModel.Variant) -> ProtocolModel {
            var model = ProtocolModel(variant: variant)
            switch self {
            case .cancel: break
            case .erase:
                model.person = .erases
                model.mostClaims = 2
            case .split:
                model.person = .away
                model.mostClaims = 2
                model.mostResends = 0
                model.mostSplits = 2
            case .repetition:
                model.mostClaims = 2
                model.claimsOutlive = true
            case .failOver:
                model.person = .away
                model.mostClaims = 2
                model.mostResends = 0
                model.mostCrashes = 0
                model.isReplaced = true
            }
            return model
        }
    }

    @Test(arguments: Scene.allCases)
    func noInterleavingLosesOrRepeatsAMessage(_ scene: Scene) async {
        let search = await ProtocolSearch(scene.model(.asBuilt))
        #expect(search.broken == nil, "\(search.broken.map { "\($0.promise): \($0.way)" } ?? "")")
        // A search that saw few states has proved little.
        #expect(search.states > 10_000, "\(search.states) states, \(search.steps) steps")
        print("protocol model: \(scene): \(search.states) states, \(search.steps) steps, nothing broken")
    }

    /// What is removed, in which scene, and which promise breaks.
    private static let broken: [(ProtocolModel.Variant, Scene, promise: String)] = [
        (.intentOnlyLooks, .split, "sent twice"),
        (.intentOnlyLooks, .cancel, "after its cancellation"),
        (.intentLocksTheKeyOnly, .cancel, "after its cancellation"),
        (.postsBeforeIntent, .split, "sent twice"),
        (.rescueReadsFirst, .split, "sent twice"),
        (.rescueIgnoresPosts, .split, "sent twice"),
        (.completionIgnoresTheClaim, .cancel, "accepted twice"),
        (.lateAnswerSettlesAnyDoubt, .cancel, "a completion without a claim"),
        (.lateRefusalIsIgnored, .cancel, "although the answer says"),
        (.rescueIgnoresAnswers, .split, "although the answer says"),
        (.claimIsUnbounded, .split, "sent twice"),
        (.eraseIgnoresTheClaim, .erase, "after it was erased"),
        (.eraseLeavesTheDoubt, .erase, "after it was erased"),
        (.repetitionIsNotTold, .repetition, "accepted twice"),
        (.repetitionSharesItsLock, .repetition, "accepted twice"),
        (.claimIgnoresTheTimeline, .failOver, "a completion without a claim"),
        (.numbersComeAgain, .failOver, "a completion without a claim"),
        (.epochIsIgnored, .failOver, "not its own"),
        (.oldClaimsAreFinished, .failOver, "in 0 places"),
    ]

    @Test(arguments: broken)
    func everyPartOfTheProtocolIsNeeded(variant: ProtocolModel.Variant, scene: Scene, promise: String) async throws {
        let search = await ProtocolSearch(scene.model(variant))
        let broken = try #require(search.broken, "\(variant) broke no promise in \(search.states) states")
        #expect(broken.promise.contains(promise), "\(broken.way)")
        print(
            "protocol model: \(variant): \(broken.promise), found after \(search.states) states:",
            broken.way.joined(separator: "; "))
    }

    @Test func everyPartIsRemovedOnce() {
        #expect(Set(Self.broken.map(\.0)) == Set(ProtocolModel.Variant.allCases).subtracting([.asBuilt]))
    }

    /// Numbers may come again all the same, after a second fail-over that loses how far the first one moved them. Then an
    /// old answer may settle a doubt of another post, and no more: the epoch keeps it from the claim.
    @Test func epochsProtectClaimsAlsoWhenNumbersComeAgain() async {
        let search = await ProtocolSearch(
            Scene.failOver.model(.numbersComeAgain), ignoring: "other than the doubt of its own post")
        #expect(search.broken == nil, "\(search.broken.map { "\($0.promise): \($0.way)" } ?? "")")
    }
}
