import Concurrency
import Foundation
import PushModel
import Signing
import Synchronization
import Testing

@testable import Providers

@Suite(.timeLimit(.minutes(1))) struct ProviderTokensTests {
    /// Two clocks that stand still until they are moved.
    private final class Clocks: Sendable {
        private let times = Mutex((wall: TestAPNs.now, monotonic: 100.0))
        var wall: Double { times.withLock { $0.wall } }
        var monotonic: Double { times.withLock { $0.monotonic } }
        func pass(_ seconds: Double) { times.withLock { $0 = ($0.wall + seconds, $0.monotonic + seconds) } }
        func credentials() -> APNsCredentials { APNsCredentials(wall: { self.wall }, monotonic: { self.monotonic }) }
    }

    private func tokens(
        _ credentials: APNsCredentials, _ primary: ProviderKey? = nil, secondary: ProviderKey? = nil,
        environment: APNsEnvironment = .production,
        pause: @escaping @Sendable (Double) async -> Void = { _ in await Latch().wait() }
    ) throws -> ProviderTokens {
        try ProviderTokens(
            primary: primary ?? TestAPNs.key(), secondary: secondary, environment: environment, of: credentials,
            pause: pause)
    }

    private func pass(_ tokens: ProviderTokens) throws -> Pass { try #require(tokens.pass(for: "api.push.apple.com")) }

    @Test func aPassIsAProviderTokenOfTheKey() throws {
        let tokens = try tokens(Clocks().credentials())
        #expect(tokens.expiry == nil && tokens.issued == 0 && tokens.trouble == nil && tokens.refusal == nil)
        let pass = try pass(tokens)
        let header = try #require(pass.header).reveal()
        #expect(header.hasPrefix("bearer eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ."))
        let parts = header.dropFirst(7).split(separator: ".")
        let signature = try #require(Base64.decodeURL(parts[2]))
        let verification = try #require(P256Verification(publicKey: TestAPNs.key().key.publicKey))
        #expect(verification.isValid(signature, of: Array(parts[..<2].joined(separator: ".").utf8)))
        #expect(pass.expiry == 1_700_003_600 && pass.credential == 1 && pass.generation == 0)
        #expect(tokens.expiry == 1_700_003_600 && tokens.issued == 1)
        #expect("\(tokens) \(pass)".contains("eyJ") == false)
    }

    @Test func aTokenIsRenewedAtFiftyMinutes() throws {
        let clocks = Clocks()
        let tokens = try tokens(clocks.credentials())
        let first = try pass(tokens)
        clocks.pass(2_999)
        #expect(try pass(tokens) == first)
        clocks.pass(1)
        let second = try pass(tokens)
        #expect(second != first && second.header != first.header && second.expiry == 1_700_006_600)
        #expect(second.credential == first.credential && second.generation == first.generation)
    }

    @Test func allHubsAndReloadsWithOneKeyShareOneToken() throws {
        let credentials = Clocks().credentials()
        let sources = try (0..<5).map { _ in try tokens(credentials) }
        let passes = try sources.map { try pass($0) }
        #expect(passes.allSatisfy { $0.header == passes[0].header && $0 == passes[0] })
        #expect(sources.allSatisfy { $0.issued == 1 })
        sources[3].forget(passes[3])
        for source in sources {
            let pass = try pass(source)
            #expect(pass.header == passes[0].header && pass.generation == 1 && pass != passes[0], "for all of them")
        }
        // A key that is gone for a while does not get a second token.
        let later = try tokens(credentials)
        #expect(try pass(later).header == passes[0].header)
    }

    @Test func everyKeyAndEnvironmentIsACredentialOfItsOwn() throws {
        let credentials = Clocks().credentials()
        let keys = try [
            TestAPNs.key(), TestAPNs.key(keyID: "ABC123DEFH"), TestAPNs.key(team: "DEF123GHIK"), TestAPNs.key("second"),
        ]
        var passes: [Pass] = []
        for key in keys {
            for environment in APNsEnvironment.allCases {
                passes.append(try pass(tokens(credentials, key, environment: environment)))
            }
        }
        #expect(Set(passes.map(\.credential)).count == 8 && passes.allSatisfy { $0.credential > 0 })
        #expect(Set(passes.map(\.number)).count == 8)
        #expect(try pass(tokens(Clocks().credentials())).credential == 1, "each process counts for itself")
    }

    @Test func aBurstOfCallersSignsOnce() async throws {
        let credentials = Clocks().credentials()
        let sources = try (0..<4).map { _ in try tokens(credentials) }
        let given = await withTaskGroup(of: Pass?.self) { group in
            for n in 0..<400 { group.addTask { sources[n % 4].pass(for: "x") } }
            return await group.reduce(into: [Pass]()) { if let pass = $1 { $0.append(pass) } }
        }
        #expect(given.count == 400 && given.allSatisfy { $0 == given[0] && $0.header == given[0].header })
        #expect(sources[0].issued == 1)
    }

    @Test func manyRefusalsOfOnePassLeaveItsConnectionsOnce() async throws {
        let credentials = Clocks().credentials()
        let tokens = try tokens(credentials)
        let refused = try pass(tokens)
        await withTaskGroup { group in
            for _ in 0..<200 {
                group.addTask {
                    tokens.forget(refused)
                    _ = tokens.pass(for: "x")
                }
            }
        }
        #expect(try pass(tokens).generation == 1 && tokens.issued == 1)
    }

    @Test func aTokenThatIsTooYoungForASuccessorIsTroubleInTheEnd() throws {
        let clocks = Clocks()
        let tokens = try tokens(clocks.credentials())
        tokens.forget(try pass(tokens))
        #expect(tokens.trouble == nil)
        tokens.forget(try pass(tokens))
        #expect(tokens.pass(for: "x") == nil && tokens.expiry == nil)
        guard case .waiting(let because) = tokens.trouble else { return #expect(Bool(false)) }
        #expect(because.contains("younger than 20 minutes") && because.contains("clock"))
        clocks.pass(1_200)
        #expect(tokens.trouble == nil)
        #expect(try pass(tokens).generation == 2 && tokens.issued == 2)
    }

    @Test func tooManyUpdatesStopTheSigning() throws {
        let clocks = Clocks()
        let tokens = try tokens(clocks.credentials())
        let first = try pass(tokens)
        clocks.pass(3_500)
        tokens.throttled(first, for: 1_200)
        #expect(try pass(tokens).header == first.header && pass(tokens).generation == 1)
        clocks.pass(100)
        #expect(tokens.pass(for: "x") == nil)
        #expect(tokens.trouble == .waiting(because: ProviderTokenState.paused))
        clocks.pass(1_100)
        #expect(try pass(tokens).header != first.header)
    }

    @Test func theOtherKeyTakesOverAndGivesBack() throws {
        let tokens = try tokens(Clocks().credentials(), secondary: TestAPNs.key("second", keyID: "KEYNUMBER2"))
        let first = try pass(tokens)
        #expect(tokens.hasSecondary && !tokens.usesSecondary && !tokens.use(secondary: false))
        #expect(tokens.use(secondary: true) && tokens.usesSecondary && !tokens.use(secondary: true))
        let second = try pass(tokens)
        #expect(second.credential != first.credential && second != first)
        #expect(try #require(second.header).reveal() != first.header?.reveal())
        #expect(tokens.use(secondary: false))
        #expect(try pass(tokens) == first, "its token still holds")
        #expect(tokens.issued == 2)
    }

    @Test func twoLanesRefusedTogetherSwitchOnce() throws {
        let tokens = try tokens(Clocks().credentials(), secondary: TestAPNs.key("second", keyID: "KEYNUMBER2"))
        let refused = try pass(tokens)
        #expect(tokens.useOther(than: refused) && tokens.usesSecondary)
        #expect(tokens.useOther(than: refused) && tokens.usesSecondary, "already another key: a retry makes sense")
        let other = try pass(tokens)
        #expect(tokens.useOther(than: other) && !tokens.usesSecondary)
        #expect(try pass(tokens).generation == 1, "its connections are others than before")
    }

    @Test func withoutASecondKeyNothingSwitches() throws {
        let tokens = try tokens(Clocks().credentials())
        let first = try pass(tokens)
        #expect(!tokens.hasSecondary && !tokens.use(secondary: true) && !tokens.useOther(than: first))
        #expect(!tokens.usesSecondary)
    }

    /// The first hub's second key is the second hub's first.
    @Test func twoHubsMayHaveAKeyInDifferentPlaces() throws {
        let credentials = Clocks().credentials()
        let (one, two) = try (TestAPNs.key(), TestAPNs.key("second", keyID: "KEYNUMBER2"))
        let first = try tokens(credentials, one, secondary: two)
        let second = try tokens(credentials, two, secondary: one)
        #expect(first.use(secondary: true))
        #expect(try pass(first).header == pass(second).header && pass(first).credential == pass(second).credential)
        first.forget(try pass(first))
        #expect(try pass(second).generation == 1)
    }

    @Test func aPassOfAKeyFromBeforeAReloadChangesNothing() throws {
        let credentials = Clocks().credentials()
        let old = try pass(tokens(credentials))
        let tokens = try tokens(credentials, TestAPNs.key("second", keyID: "KEYNUMBER2"))
        let pass = try pass(tokens)
        #expect(pass != old && pass.credential != old.credential)
        tokens.forget(old)
        tokens.throttled(old, for: 1_200)
        #expect(try self.pass(tokens).generation == 0)
    }

    /// Without a report a hub whose lane found no pass would stay shut.
    @Test func theEndOfATroubleIsReported() async throws {
        let clocks = Clocks()
        let flow = Latch()
        let tokens = try tokens(clocks.credentials()) { seconds in
            #expect(seconds > 0 && seconds <= ProviderTokens.longestRest)
            await flow.wait()
        }
        let reports = Mailbox<PassTrouble?>()
        let loop = Task { await tokens.keepReady { reports.post($0) } }
        #expect(await reports.next() == nil)
        tokens.forget(try pass(tokens))
        tokens.forget(try pass(tokens))
        #expect(await reports.next() == .waiting(because: ProviderTokenState.refusedYoung))
        clocks.pass(1_200)
        flow.happen()  // from here on rests end by their time
        #expect(await reports.next() == nil)
        #expect(tokens.issued == 1, "made for the one who asks")
        #expect(tokens.pass(for: "x") != nil && tokens.issued == 2)
        loop.cancel()
        await loop.value
    }

    @Test func aMissIsReportedAndSoIsASwitch() async throws {
        let clocks = Clocks()
        let tokens = try tokens(
            clocks.credentials(), secondary: TestAPNs.key("second", keyID: "KEYNUMBER2"))
        let reports = Mailbox<PassTrouble?>()
        let loop = Task { await tokens.keepReady { reports.post($0) } }
        #expect(await reports.next() == nil)
        tokens.throttled(
            Pass(header: nil, number: 0, expiry: 0, credential: 1), for: 1_200)
        let trouble = PassTrouble.waiting(because: ProviderTokenState.paused)
        #expect(await reports.next() == trouble)
        #expect(tokens.pass(for: "x") == nil)
        #expect(await reports.next() == trouble, "somebody waits for its end")
        #expect(tokens.use(secondary: true))
        #expect(await reports.next() == nil)
        loop.cancel()
        await loop.value
    }
}
