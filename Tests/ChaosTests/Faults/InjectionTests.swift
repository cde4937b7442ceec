import HubEmulator
import Testing

@testable import Chaos

/// What the emulator does for each fault of a hub.
@Suite struct InjectionTests {
    private static let byHub: [InjectedFault.Kind] = [
        .cutBeforeBody, .cutAfterBody, .cutAfterTaking, .cutAnswer, .throttle, .serverError, .gatewayTimeout,
        .tokenEndpoint, .hang, .skew, .rotateKeys, .refuse,
    ]

    private static func fault(_ kind: InjectedFault.Kind, seed: UInt64) -> Fault {
        Fault(InjectedFault(kind: kind, at: 1, lasts: 1, worker: 0, seed: seed))
    }

    @Test(arguments: byHub) func theEmulatorTakesIt(kind: InjectedFault.Kind) throws {
        for seed in UInt64(0)..<60 { try Self.fault(kind, seed: seed).check() }
    }

    @Test func nearlyAllStrikeSendsToFCM() {
        let others = Self.byHub.filter { !Self.fault($0, seed: 1).operations.contains(.fcm) }
        #expect(others == [.cutBeforeBody, .tokenEndpoint], "a send that is cut before its body cannot be identified")
    }

    @Test func everyWayOfATokenEndpointToFailComes() {
        let faults = (UInt64(0)..<6).map { Self.fault(.tokenEndpoint, seed: $0) }
        #expect(faults.allSatisfy { $0.operations == [.fcmToken] })
        #expect(Set(faults.compactMap(\.status)) == [503, 500, 429, 400])
        #expect(faults.contains { $0.closing == .afterBody })
        #expect(faults.contains { $0.delayMilliseconds > 0 })
    }
}
