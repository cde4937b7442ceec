import HTTPTransport
import Providers
import PushModel
import Signing
import Testing

@testable import PushWorker

@Suite struct DeviceSettlementTests {
    private func answer(_ status: Int, _ body: String = "", headers: [(String, String)] = []) throws
        -> InstallationAnswer
    {
        let connection = try ConnectionString(
            parsing: "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=n;SharedAccessKey=aw==")
        let response = Reply.Response(
            status: status, headers: headers.map { (name: $0.0, value: $0.1) }, body: Array(body.utf8))
        return try Installations(connection: connection, hub: "h")
            .answer(to: Reply(id: 1, outcome: .answered(response)))
    }

    private func settle(
        _ answer: InstallationAnswer, _ action: DeviceChange.Action = .put, attempt: Int16 = 0,
        othersSucceed: Bool = false, isTokenTaken: Bool = false
    ) -> DeviceSettlement {
        DeviceSettlement(
            answer,
            DeviceSettlement.Facts(
                attempt: attempt, action: action, othersSucceed: othersSucceed, isTokenTaken: isTokenTaken, random: 1),
            DispatchSettings())
    }

    private let missing = "<Error><Code>404</Code><Detail>Installation not found.</Detail></Error>"

    @Test(arguments: [200, 201, 204]) func whatTheHubTookIsApplied(status: Int) throws {
        let settled = settle(try answer(status))
        #expect(settled.status == .applied)
        #expect(settled.delay == nil)
        #expect(settled.effect == .works)
    }

    @Test(arguments: [400, 413, 409]) func aRefusedContentIsFinal(status: Int) throws {
        let settled = settle(try answer(status, "<Error><Detail>Bad tag</Detail></Error>"))
        #expect(settled.status == .refused)
        #expect(settled.note?.contains("Bad tag") == true)
        #expect(settled.effect == .works)
    }

    @Test func aPatchOfAMissingDeviceIsRefusedAndADropIsDone() throws {
        #expect(settle(try answer(404, missing), .patch).note == "no such installation")
        #expect(settle(try answer(404, missing), .patch).status == .refused)
        #expect(settle(try answer(404, missing), .drop).status == .applied)
    }

    @Test func throttlingLetsOnlyDevicesWaitAndCostsNothing() throws {
        let settled = settle(try answer(429, headers: [("retry-after", "7")]), othersSucceed: true)
        #expect(settled.status == .retrying)
        #expect(settled.delay == 7)
        #expect(settled.cost == 0)
        guard case .close(7, _) = settled.effect else { return #expect(Bool(false), "\(settled.effect)") }
    }

    @Test func aRefusedTokenIsSignedAgainUnlessMessagesAreTakenWithIt() throws {
        #expect(settle(try answer(401)).effect == .signAgain)
        let lacking = settle(try answer(401), isTokenTaken: true)
        #expect(lacking.note?.contains("needs the right Listen") == true)
        guard case .close(60, _) = lacking.effect else { return #expect(Bool(false), "\(lacking.effect)") }
    }

    @Test(arguments: [403, 404, 501]) func aRefusalOfTheSenderIsTheDevicesOwnBesideOthers(status: Int) throws {
        let alone = settle(try answer(status))
        #expect(alone.cost == 0)
        guard case .close = alone.effect else { return #expect(Bool(false), "\(alone.effect)") }
        let beside = settle(try answer(status), othersSucceed: true)
        #expect(beside.cost == 1)
        #expect(beside.effect == .none)
        #expect(settle(try answer(status), attempt: 9, othersSucceed: true).status == .refused)
    }

    @Test func aFailureCostsAnAttemptOnlyBesideOthers() throws {
        let alone = settle(try answer(503), attempt: 9)
        #expect(alone.status == .retrying)
        #expect(alone.cost == 0)
        let beside = settle(try answer(503), attempt: 9, othersSucceed: true)
        #expect(beside.status == .refused)
        #expect(beside.note?.hasPrefix("10 attempts while others succeeded") == true)
    }

    @Test func aLostAnswerIsTriedAgain() throws {
        let lost = try InstallationAnswerMaker.lost
        let settled = settle(lost)
        #expect(settled.status == .retrying)
        guard case .failed = settled.effect else { return #expect(Bool(false), "\(settled.effect)") }
    }
}

private enum InstallationAnswerMaker {
    static var lost: InstallationAnswer {
        get throws {
            let connection = try ConnectionString(
                parsing: "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=n;SharedAccessKey=aw==")
            return try Installations(connection: connection, hub: "h")
                .answer(to: Reply(id: 1, outcome: .unknown(Reply.Fault(code: 56, text: "reset"))))
        }
    }
}
