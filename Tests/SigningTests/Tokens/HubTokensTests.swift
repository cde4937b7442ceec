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

    private func signed(by key: String, name: String = "p", expiry: Int64) -> SASToken {
        SAS.token(resource: "https://contoso.example/myhub", keyName: name, key: Secret(key), expiry: expiry)
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
            _ = tokens.token()
            clock.set(now)
            _ = tokens.token()
            #expect(tokens.signings == (vector.expect == "reuse" ? 1 : 2), "\(vector.id)")
            checked += 1
        }
        #expect(checked == 3)
    }

    @Test func aTokenLivesForItsLifetime() {
        let token = tokens(Clock(1000.9)).token()
        #expect(token == signed(by: "first", expiry: 4600))
    }

    @Test func aTokenIsReusedUntilTheMargin() {
        let clock = Clock(1000.5)
        let tokens = tokens(clock)
        let first = tokens.token()
        clock.set(4299.999)
        #expect(tokens.token() == first)
        clock.set(4300)
        #expect(tokens.token() == signed(by: "first", expiry: 7900))
        #expect(tokens.signings == 2)
    }

    @Test func useDoesNotProlongAToken() {
        let clock = Clock(0)
        let tokens = tokens(clock)
        for time in stride(from: 0.0, to: 3300, by: 10) {
            clock.set(time)
            #expect(tokens.token().expiry == 3600)
        }
        clock.set(3300)
        #expect(tokens.token().expiry == 6900)
    }

    @Test func aClockSetBackALittleKeepsTheToken() {
        let clock = Clock(5000)
        let tokens = tokens(clock)
        _ = tokens.token()
        clock.set(4700)
        _ = tokens.token()
        #expect(tokens.signings == 1)
        clock.set(4699)
        #expect(tokens.token().expiry == 8299)
        #expect(tokens.signings == 2)
    }

    @Test func aBurstOfCallersSignsOnce() async {
        let tokens = tokens(Clock(1000))
        let given = await withTaskGroup(of: SASToken.self) { group in
            for _ in 0..<1000 { group.addTask { tokens.token() } }
            return await group.reduce(into: [SASToken]()) { $0.append($1) }
        }
        #expect(given.count == 1000)
        #expect(given.allSatisfy { $0 == signed(by: "first", expiry: 4600) })
        #expect(tokens.signings == 1)
    }

    @Test func aRefusedTokenIsReplaced() {
        let clock = Clock(1000)
        let tokens = tokens(clock)
        let refused = tokens.token()
        clock.set(1001)
        tokens.forget(refused)
        #expect(tokens.token().expiry == 4601)
        #expect(tokens.signings == 2)
    }

    @Test func aLateRefusalDoesNotUndoAFreshToken() {
        let clock = Clock(1000)
        let tokens = tokens(clock)
        let old = tokens.token()
        clock.set(1001)
        tokens.forget(old)
        let fresh = tokens.token()
        tokens.forget(old)
        #expect(tokens.token() == fresh)
        #expect(tokens.signings == 2)
    }

    @Test func manyRefusalsOfOneTokenSignOnce() async {
        let clock = Clock(1000)
        let tokens = tokens(clock)
        let refused = tokens.token()
        clock.set(1001)
        await withTaskGroup { group in
            for _ in 0..<200 {
                group.addTask {
                    tokens.forget(refused)
                    _ = tokens.token()
                }
            }
        }
        #expect(tokens.signings == 2)
    }

    @Test func theSecondaryKeyCanTakeOverAndGiveBack() {
        let tokens = tokens(Clock(1000), secondary: SigningKey(name: "q", key: Secret("second")))
        #expect(tokens.token() == signed(by: "first", expiry: 4600))
        #expect(tokens.switchKey())
        #expect(tokens.token() == signed(by: "second", name: "q", expiry: 4600))
        #expect(tokens.switchKey())
        #expect(tokens.token() == signed(by: "first", expiry: 4600))
    }

    @Test func withoutASecondaryKeyNothingChanges() {
        let tokens = tokens(Clock(1000))
        let token = tokens.token()
        #expect(!tokens.switchKey())
        #expect(!tokens.switchKey(from: token))
        #expect(tokens.token() == token)
        #expect(tokens.signings == 1)
    }

    @Test func twoLanesRefusedTogetherSwitchOnce() {
        let tokens = tokens(Clock(1000), secondary: SigningKey(name: "p", key: Secret("second")))
        let refused = tokens.token()
        #expect(tokens.switchKey(from: refused))
        #expect(tokens.switchKey(from: refused), "already another key: a retry makes sense")
        #expect(tokens.token() == signed(by: "second", expiry: 4600))
        #expect(tokens.switchKey(from: tokens.token()), "refused as well: back to the first")
        #expect(tokens.token() == signed(by: "first", expiry: 4600))
    }
}
