import Foundation
import HTTPServer
import Signing
import Testing

@testable import HubEmulator

/// Provider tokens: whose they are, how old, and how many a connection takes.
@Suite struct ProviderTokenClaimsTests {
    private static let now = EmulatorFixture.now

    @Test func onlyATokenOfAKeyIsGood() async throws {
        try await APNsFixture.run { fixture in
            let good = try fixture.token()
            let other = EmulatorSettings.APNsSender.Key()
            let stranger = other.token(team: "EMULATOR00", issuedAt: Int(Self.now))
            let otherTeam = try #require(fixture.emulator.apnsSender("ios")).keys[0].token(
                team: "ANOTHERONE", issuedAt: Int(Self.now))
            let parts = good.split(separator: ".")
            let forged = "\(parts[0]).\(parts[1]).\(stranger.split(separator: ".")[2])"
            for (authorization, result) in [
                ("bearer \(good)", "200 -"), ("Bearer \(good)", "200 -"), (nil, "403 MissingProviderToken"),
                ("", "403 InvalidProviderToken"), (good, "403 InvalidProviderToken"),
                ("bearer nonsense", "403 InvalidProviderToken"), ("bearer a.b.c", "403 InvalidProviderToken"),
                ("bearer \(stranger)", "403 InvalidProviderToken"), ("bearer \(otherTeam)", "403 InvalidProviderToken"),
                ("bearer \(forged)", "403 InvalidProviderToken"), ("bearer \(good) x", "403 InvalidProviderToken"),
            ] as [(String?, String)] {
                try fixture.expect(result, about: "\(authorization ?? "-")") { $0.authorization = .some(authorization) }
            }
        }
    }

    /// APNSwift writes `iat` as a string, and repeats `kid` among the claims.
    @Test func aStringIsATimeToo() async throws {
        try await APNsFixture.run { fixture in
            let sender = try #require(fixture.emulator.apnsSender("ios"))
            let header = Base64.encodeURL(Array(#"{"alg":"ES256","typ":"JWT","kid":"\#(sender.keys[0].id)"}"#.utf8))
            for (claims, result) in [
                (#"{"iss":"EMULATOR00","iat":"1800000000","kid":"x"}"#, "200 -"),
                (#"{"iss":"EMULATOR00","iat":"soon"}"#, "403 InvalidProviderToken"),
                (#"{"iss":"EMULATOR00"}"#, "403 InvalidProviderToken"),
                (#"{"iat":1800000000}"#, "403 InvalidProviderToken"),
            ] {
                let text = "\(header).\(Base64.encodeURL(Array(claims.utf8)))"
                let signature = try #require(sender.keys[0].keys.signature(of: Array(text.utf8)))
                try fixture.expect(result, about: "\(claims)") {
                    $0.authorization = "bearer \(text).\(Base64.encodeURL(signature))"
                }
            }
        }
    }

    @Test(arguments: [
        (0, "200 -"), (3_600, "200 -"), (3_601, "403 ExpiredProviderToken"), (-300, "200 -"),
        (-301, "403 InvalidProviderToken"),
    ])
    func aTokenLastsAnHour(age: Int, result: String) async throws {
        try await APNsFixture.run { fixture in
            try fixture.expect(result) { $0.authorization = "bearer \(try fixture.token(age: age))" }
        }
    }

    /// Clients sign by their own clock.
    @Test func theAdvancedClockDoesNotCount() async throws {
        try await APNsFixture.run { fixture in
            try fixture.emulator.advance(by: 86_400)
            try fixture.expect("200 -")
        }
    }

    /// As with Apple: only a new connection helps.
    @Test func anEndedTokenSpoilsTheConnection() async throws {
        try await APNsFixture.run { fixture in
            let connection = PeerConnection(isHTTP2: true)
            let old = "bearer \(try fixture.token(age: 3_601))"
            try fixture.expect("403 ExpiredProviderToken", on: connection) { $0.authorization = old }
            try fixture.expect("403 ExpiredProviderToken", on: connection)
            try fixture.expect("200 -")
        }
    }

    @Test func aConnectionHasOneKey() async throws {
        try await APNsFixture.run { fixture in
            let connection = PeerConnection(isHTTP2: true)
            try fixture.expect("200 -", on: connection)
            for (sender, key) in [("ios", 1), ("ios-dev", 0), ("tv", 0)] {
                let token = "bearer \(try fixture.token(sender, key: key))"
                try fixture.expect("403 UnrelatedKeyIdInToken", on: connection) { $0.authorization = token }
            }
            try fixture.expect("200 -") { $0.authorization = "bearer \(try fixture.token(key: 1))" }
        }
    }

    private func token(_ text: String, age: Double = 0, key: String = "K") -> ProviderTokenClaims {
        let header = Base64.encodeURL(Array(#"{"alg":"ES256","kid":"\#(key)"}"#.utf8))
        let claims = Base64.encodeURL(Array(#"{"iss":"T","iat":\#(Int(Self.now - age)),"n":"\#(text)"}"#.utf8))
        return ProviderTokenClaims("\(header).\(claims).AAAA")!
    }

    /// A new token within 20 minutes blocks the connection until they are over.
    @Test func tokensMayNotChangeOften() throws {
        var state = APNsConnection.State()
        func admit(_ token: ProviderTokenClaims, after seconds: Double) -> String {
            do throws(APNsError) {
                try state.admit(token, isGenuine: true, isEnded: false, now: Self.now + seconds)
                return "good"
            } catch { return error.reason }
        }
        let (first, second) = (token("1"), token("2"))
        #expect(admit(first, after: 0) == "good")
        #expect(admit(first, after: 900) == "good")
        #expect(admit(second, after: 1_199) == "TooManyProviderTokenUpdates")
        #expect(admit(first, after: 1_199.5) == "TooManyProviderTokenUpdates")
        #expect(admit(second, after: 1_200) == "good")
        #expect(admit(second, after: 2_399) == "good")
        #expect(admit(first, after: 2_399) == "TooManyProviderTokenUpdates")
        #expect(admit(first, after: 2_400) == "good")
    }

    @Test func keysAreTheSameAfterARestart() throws {
        let key = EmulatorSettings.APNsSender.Key()
        #expect(key.id.utf8.count == 10 && key.id.utf8.allSatisfy { $0.isUppercaseOrDigit })
        #expect(try EmulatorSettings.APNsSender.Key(p8: key.p8).id == key.id)
        #expect(try EmulatorSettings.APNsSender.Key(p8: key.p8, id: "ABC123DEFG").id == "ABC123DEFG")
        #expect(throws: EmulatorError.self) { try EmulatorSettings.APNsSender.Key(p8: Secret("nonsense")) }
    }
}

extension UInt8 {
    fileprivate var isUppercaseOrDigit: Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}
