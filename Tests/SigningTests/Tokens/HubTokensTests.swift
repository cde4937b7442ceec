import Synchronization
import Testing
import VectorSupport

@testable import Signing

@Suite struct HubTokensTests {
    /// A clock that stands still until it is set.
    private final class Clock: Sendable {
        private let seconds: Mutex<Double>
        init(_ start: Double) { seconds = Mutex(start) }
        func set(_ time: Double) { seconds.withLock { $0 = time } }
        var now: Double { seconds.withLock { $0 } }
    }

    private func tokens(_ clock: Clock, secondary: SigningKey? = nil, lifetime: Int = 3600, margin: Int = 300)
        -> HubTokens
    {
        HubTokens(
            base: "https://contoso.example", hub: "MyHub", primary: SigningKey(name: "p", key: Secret("first")),
            secondary: secondary, lifetime: lifetime, refreshBefore: margin, now: { clock.now })
    }

    private func signed(by key: String, name: String = "p", expiry: Int64) -> Secret {
        SAS.token(resource: "https://contoso.example/myhub", keyName: name, key: Secret(key), expiry: expiry).header
    }

    @Test func everyVectorOfTheCacheHolds() throws {
        struct File: Decodable {
            struct Defaults: Decodable {
                let lifetime: Int
                let margin: Int
            }
            struct Case: Decodable {
                let id: String
                let lifetime: Int?
                let margin: Int?
                let madeAt: Double?
                let now: Double?
                let expect: String
            }
            let productDefaults: Defaults
            let cases: [Case]
        }
        let file = try Vectors.read("token_cache", as: File.self)
        #expect(file.productDefaults.lifetime == 3600 && file.productDefaults.margin == 300)
        var checked = 0
        for vector in file.cases {
            // `server-401-expired` is about an answer: `aRefusedTokenIsReplaced`.
            guard let lifetime = vector.lifetime, let margin = vector.margin, let made = vector.madeAt,
                let now = vector.now
            else { continue }
            let clock = Clock(made)
            let tokens = tokens(clock, lifetime: lifetime, margin: margin)
            _ = tokens.pass()
            clock.set(now)
            _ = tokens.pass()
            #expect(tokens.issued == (vector.expect == "reuse" ? 1 : 2), "\(vector.id)")
            checked += 1
        }
        #expect(checked == 3)
    }

    @Test func aTokenLivesForItsLifetime() {
        let token = tokens(Clock(1000.9)).pass()
        #expect(token.header == signed(by: "first", expiry: 4600))
    }

    @Test func aTokenIsReusedUntilTheMargin() {
        let clock = Clock(1000.5)
        let tokens = tokens(clock)
        let first = tokens.pass()
        clock.set(4299.999)
        #expect(tokens.pass() == first)
        clock.set(4300)
        #expect(tokens.pass().header == signed(by: "first", expiry: 7900))
        #expect(tokens.issued == 2)
    }

    @Test func useDoesNotProlongAToken() {
        let clock = Clock(0)
        let tokens = tokens(clock)
        for time in stride(from: 0.0, to: 3300, by: 10) {
            clock.set(time)
            #expect(tokens.pass().expiry == 3600)
        }
        clock.set(3300)
        #expect(tokens.pass().expiry == 6900)
    }

    @Test func aClockSetBackALittleKeepsTheToken() {
        let clock = Clock(5000)
        let tokens = tokens(clock)
        _ = tokens.pass()
        clock.set(4700)
        _ = tokens.pass()
        #expect(tokens.issued == 1)
        clock.set(4699)
        #expect(tokens.pass().expiry == 8299)
        #expect(tokens.issued == 2)
    }

    @Test func aBurstOfCallersSignsOnce() async {
        let tokens = tokens(Clock(1000))
        let given = await withTaskGroup(of: Pass.self) { group in
            for _ in 0..<1000 { group.addTask { tokens.pass() } }
            return await group.reduce(into: [Pass]()) { $0.append($1) }
        }
        #expect(given.count == 1000)
        #expect(given.allSatisfy { $0.header == signed(by: "first", expiry: 4600) })
        #expect(tokens.issued == 1)
    }

    @Test func aRefusedTokenIsReplaced() {
        let clock = Clock(1000)
        let tokens = tokens(clock)
        let refused = tokens.pass()
        clock.set(1001)
        tokens.forget(refused)
        #expect(tokens.pass().expiry == 4601)
        #expect(tokens.issued == 2)
    }

    @Test func aLateRefusalDoesNotUndoAFreshToken() {
        let clock = Clock(1000)
        let tokens = tokens(clock)
        let old = tokens.pass()
        clock.set(1001)
        tokens.forget(old)
        let fresh = tokens.pass()
        tokens.forget(old)
        #expect(tokens.pass() == fresh)
        #expect(tokens.issued == 2)
    }

    @Test func manyRefusalsOfOneTokenSignOnce() async {
        let clock = Clock(1000)
        let tokens = tokens(clock)
        let refused = tokens.pass()
        clock.set(1001)
        await withTaskGroup { group in
            for _ in 0..<200 {
                group.addTask {
                    tokens.forget(refused)
                    _ = tokens.pass()
                }
            }
        }
        #expect(tokens.issued == 2)
    }

    @Test func theSecondaryKeyCanTakeOverAndGiveBack() {
        let tokens = tokens(Clock(1000), secondary: SigningKey(name: "q", key: Secret("second")))
        #expect(tokens.pass().header == signed(by: "first", expiry: 4600))
        #expect(tokens.use(secondary: true))
        #expect(tokens.pass().header == signed(by: "second", name: "q", expiry: 4600))
        #expect(!tokens.use(secondary: true), "in use already")
        #expect(tokens.use(secondary: false))
        #expect(tokens.pass().header == signed(by: "first", expiry: 4600))
    }

    @Test func withoutASecondaryKeyNothingChanges() {
        let tokens = tokens(Clock(1000))
        let token = tokens.pass()
        #expect(!tokens.use(secondary: true))
        #expect(!tokens.useOther(than: token))
        #expect(tokens.pass() == token)
        #expect(tokens.issued == 1)
    }

    @Test func twoPassesAreTheSameWhenTheirSignaturesAre() {
        let clock = Clock(1000.2)
        let tokens = tokens(clock, secondary: SigningKey(name: "p", key: Secret("second")))
        let first = tokens.pass()
        tokens.forget(first)
        clock.set(1000.9)
        #expect(tokens.pass() == first && tokens.pass().header == first.header, "signed within the same second")
        #expect(tokens.use(secondary: true))
        #expect(tokens.pass() != first && tokens.pass().header != first.header)
        #expect(tokens.pass(for: "any") == tokens.pass(), "one for every address")
    }

    @Test func twoLanesRefusedTogetherSwitchOnce() {
        let tokens = tokens(Clock(1000), secondary: SigningKey(name: "p", key: Secret("second")))
        let refused = tokens.pass()
        #expect(tokens.useOther(than: refused))
        #expect(tokens.useOther(than: refused), "already another key: a retry makes sense")
        #expect(tokens.pass().header == signed(by: "second", expiry: 4600))
        #expect(tokens.useOther(than: tokens.pass()), "refused as well: back to the first")
        #expect(tokens.pass().header == signed(by: "first", expiry: 4600))
    }
}
