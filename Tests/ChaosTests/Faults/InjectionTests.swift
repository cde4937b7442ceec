import HubEmulator
import Testing

@testable import Chaos

/// What the emulator does for each fault of a hub.
@Suite struct InjectionTests {
    private static let byHub: [InjectedFault.Kind] = [
        .cutBeforeBody, .cutAfterBody, .cutAfterTaking, .cutAnswer, .throttle, .serverError, .gatewayTimeout,
        .tokenEndpoint, .hang, .skew, .rotateKeys, .refuse, .goAway, .resetStream, .lowerStreams, .swallow, .endToken,
    ]
    private static let ofAPNs: [InjectedFault.Kind] = [.goAway, .resetStream, .lowerStreams, .swallow, .endToken]

    private static func fault(_ kind: InjectedFault.Kind, seed: UInt64) -> Fault {
        Fault(InjectedFault(kind: kind, at: 1, lasts: 1, worker: 0, seed: seed))
    }

    @Test(arguments: byHub) func theEmulatorTakesIt(kind: InjectedFault.Kind) throws {
        for seed in UInt64(0)..<60 { try Self.fault(kind, seed: seed).check() }
    }

    @Test func nearlyAllStrikeSendsToFCM() {
        let others = Self.byHub.filter { !Self.fault($0, seed: 1).operations.contains(.fcm) }
        #expect(
            others == [.cutBeforeBody, .tokenEndpoint] + Self.ofAPNs,
            "a send that is cut before its body cannot be identified")
    }

    @Test func nearlyAllStrikeSendsToAPNs() {
        let others = Self.byHub.filter { !Self.fault($0, seed: 1).operations.contains(.apns) }
        #expect(others == [.tokenEndpoint, .skew], "a token that is refused has no successor for 20 minutes")
        for kind in Self.ofAPNs { #expect(Self.fault(kind, seed: 1).operations == [.apns]) }
    }

    @Test func streamsAreResetWithEveryCodeAndHalfOfThemRefused() {
        let faults = (UInt64(0)..<60).map { Self.fault(.resetStream, seed: $0) }
        #expect(Set(faults.compactMap(\.streamCode)) == Set(Fault.StreamCode.allCases))
        #expect(faults.count { $0.streamCode == .refusedStream } >= 30)
        #expect(!faults.contains { $0.streamCode == .refusedStream && $0.taken }, "what is taken is not refused")
        #expect(faults.contains { $0.taken })
        #expect(Set((UInt64(0)..<3).compactMap { Self.fault(.lowerStreams, seed: $0).streams }) == [0, 1, 2])
    }

    /// A post that one of these struck has its own answer, so it may not be in doubt because of it.
    @Test(arguments: [InjectedFault.Kind.goAway, .lowerStreams, .endToken])
    func whatHappensToAConnectionSpoilsNoAnswer(kind: InjectedFault.Kind) {
        #expect(!Self.fault(kind, seed: 1).spoilsAnswers)
        #expect(!kind.cutsConnections)
        #expect(Self.fault(.swallow, seed: 1).spoilsAnswers && Self.fault(.hang, seed: 1).spoilsAnswers)
    }

    @Test func everyWayOfATokenEndpointToFailComes() {
        let faults = (UInt64(0)..<6).map { Self.fault(.tokenEndpoint, seed: $0) }
        #expect(faults.allSatisfy { $0.operations == [.fcmToken] })
        #expect(Set(faults.compactMap(\.status)) == [503, 500, 429, 400])
        #expect(faults.contains { $0.closing == .afterBody })
        #expect(faults.contains { $0.delayMilliseconds > 0 })
    }
}
