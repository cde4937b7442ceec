import Foundation
import Testing

@testable import HubEmulator

/// `POST /token`, and what its access tokens allow.
@Suite struct AccessTokenTests {
    @Test func anAssertionIsChangedForATokenThatSends() async throws {
        try await FCMFixture.run { fixture in
            let reply = try await fixture.grant(try await fixture.signed())
            #expect(reply.status == 200 && reply.headers["content-type"]?.hasPrefix("application/json") == true)
            let answer = try reply.json
            #expect(answer["expires_in"] as? Int == 3_599 && answer["token_type"] as? String == "Bearer")
            let token = try #require(answer["access_token"] as? String)
            #expect(try await fixture.send(#"{"token":"a"}"#, token: token).status == 200)
            #expect(fixture.emulator.accessTokens(of: "shop") == 1)
            // Neither assertions nor tokens are in the journal.
            let entry = try #require(fixture.emulator.journal().first)
            let report = try #require(
                fixture.emulator.sendJournal.request(of: entry.number)?.headers.first { $0.name == "Authorization" })
            #expect(report.value == "•••" && entry.body?.contains(token) == false)
        }
    }

    @Test func everyAccountOfASenderGetsATokenOfItsOwn() async throws {
        try await FCMFixture.run { fixture in
            for account in 0...1 {
                let reply = try await fixture.grant(try await fixture.signed(account: account))
                #expect(reply.status == 200)
            }
            #expect(fixture.emulator.serviceAccount(of: "shop", account: 2) == nil)
            #expect(fixture.emulator.serviceAccount(of: "news") == nil && fixture.emulator.project(of: "news") == nil)
            #expect(fixture.emulator.project(of: "Shop") == "shop-emulator")
        }
    }

    @Test(arguments: [
        ("iss", "nobody@example.com", "invalid_grant", "account not found"),
        ("aud", "https://example.com/token", "invalid_grant", "audience"),
        ("scope", "https://www.googleapis.com/auth/drive", "invalid_scope", "firebase.messaging"),
    ])
    func aWrongClaimIsRefused(claim: String, value: String, word: String, says: String) async throws {
        try await FCMFixture.run { fixture in
            let reply = try await fixture.grant(try await fixture.signed { $0.claims[claim] = value })
            let error = try reply.json
            #expect(reply.status == 400 && error["error"] as? String == word)
            #expect((error["error_description"] as? String)?.contains(says) == true, "\(error)")
        }
    }

    @Test(arguments: [(-7_200, -3_600), (3_600, 7_200), (0, 3_601), (0, 0)])
    func wrongTimesAreRefused(issued: Int, expires: Int) async throws {
        try await FCMFixture.run { fixture in
            let now = Int(EmulatorFixture.now)
            let assertion = try await fixture.signed {
                $0.claims["iat"] = now + issued
                $0.claims["exp"] = now + expires
            }
            let reply = try await fixture.grant(assertion)
            #expect(reply.status == 400 && reply.body.contains("Check your iat and exp values"))
        }
    }

    @Test func theEmulatorsOwnAddressIsAnAudienceToo() async throws {
        try await FCMFixture.run { fixture in
            let endpoint = try #require(fixture.emulator.endpoint)
            #expect(endpoint == "http://\(fixture.hub.host)")
            let assertion = try await fixture.signed {
                $0.claims["aud"] = endpoint + "/token"
                $0.claims["scope"] = "openid https://www.googleapis.com/auth/cloud-platform"
            }
            #expect(try await fixture.grant(assertion).status == 200)
        }
    }

    @Test func anotherGrantIsRefused() async throws {
        try await FCMFixture.run { fixture in
            let refused = try await fixture.grant("x", type: "authorization_code")
            #expect(refused.status == 400 && refused.body.contains("unsupported_grant_type"))
            let empty = try await fixture.post("/token", "", token: "")
            #expect(empty.status == 400)
            let get = try await fixture.hub.exchange(fixture.hub.request("GET", "/token", token: "", headers: [:]))
            #expect(get.status == 404)
        }
    }

    /// Tokens end by the emulator's clock; assertions are signed by the client's, which is not advanced.
    @Test func aTokenEndsByTheEmulatorsClock() async throws {
        try await FCMFixture.run { fixture in
            let token = try fixture.accessToken(seconds: 3_599)
            try fixture.emulator.advance(by: 3_598)
            #expect(try await fixture.send(#"{"token":"a"}"#, token: token).status == 200)
            try fixture.emulator.advance(by: 1)
            let expired = try await fixture.send(#"{"token":"a"}"#, token: token)
            #expect(try expired.fcmError == "401 UNAUTHENTICATED -" && expired.body.contains("ACCESS_TOKEN_EXPIRED"))
            #expect(expired.headers["www-authenticate"]?.contains("invalid_token") == true)
            #expect(try await fixture.grant(try await fixture.signed()).status == 200)
        }
    }

    @Test(arguments: ["", "nonsense", "ya29.other"])
    func aRequestWithoutAKnownTokenIsUnauthenticated(token: String) async throws {
        try await FCMFixture.run { fixture in
            let reply = try await fixture.send(#"{"token":"a"}"#, token: token)
            #expect(try reply.fcmError == "401 UNAUTHENTICATED -")
            #expect(reply.headers["www-authenticate"] != nil)
            #expect(fixture.emulator.journal().map(\.taken) == [false])
        }
    }

    @Test func aTokenIsForItsOwnProject() async throws {
        try await FCMFixture.run({
            $0.senders.append(EmulatorSettings.Sender("forum", accounts: FCMFixture.accounts))
        }) { fixture in
            let other = try await fixture.send(#"{"token":"a"}"#, token: try fixture.accessToken("forum"))
            #expect(try other.fcmError == "403 PERMISSION_DENIED -")
            let unknown = try await fixture.send(#"{"token":"a"}"#, project: "nowhere")
            #expect(try unknown.fcmError == "404 NOT_FOUND -")
            #expect(fixture.emulator.journal().map(\.hub) == ["shop", "nowhere"])
        }
    }

    @Test func rememberedTokensAreBounded() throws {
        let tokens = AccessTokens()
        let hub = Hub(EmulatorSettings.Hub("shop"), warnings: WarningLog(logger: .init(label: "test")))
        let grant = AccessTokens.Grant(hub: hub, account: 0, expires: 10)
        let first = tokens.issue(grant)
        #expect(try tokens.grant(of: "bearer \(first)", now: 9) { _ in false }.account == 0)
        #expect(throws: FCMError.unknownToken) { try tokens.grant(of: "Bearer \(first)", now: 9) { _ in true } }
        #expect(throws: FCMError.expiredToken) { try tokens.grant(of: "Bearer \(first)", now: 10) { _ in false } }
        for _ in 0..<AccessTokens.limit { _ = tokens.issue(grant) }
        #expect(throws: FCMError.unknownToken) { try tokens.grant(of: "Bearer \(first)", now: 0) { _ in false } }
        #expect(tokens.issued(to: "shop") == AccessTokens.limit + 1)
    }

    @Test func accountsAreReadFromTheirFile() throws {
        let account = FCMFixture.accounts[0]
        let file = account.json(tokenURI: "http://127.0.0.1:1/token")
        let read = try EmulatorSettings.Sender.Account(json: file)
        #expect(read.email == account.email && read.keyID == account.keyID && read.publicKey == account.publicKey)
        for member in ["type", "project_id", "client_email", "private_key"] {
            let without = file.reveal().replacing("\"\(member)\"", with: "\"x\"")
            let error = try #require(throws: EmulatorError.self) {
                try EmulatorSettings.Sender.Account(json: .init(without))
            }
            #expect(error.description.contains(member) && !error.description.contains("BEGIN"))
        }
    }

    @Test func sendersThatCannotBeToldApartAreRefused() {
        func emulator(_ hubs: [String], _ senders: [EmulatorSettings.Sender]) throws {
            _ = try HubEmulator(EmulatorSettings(hubs: hubs.map { .init($0) }, senders: senders))
        }
        let shop = EmulatorSettings.Sender("shop", accounts: FCMFixture.accounts)
        for (hubs, senders) in [
            (["shop"], [shop]), (["token"], [shop]), (["v1"], [shop]), ([], [shop, shop]),
            ([], [shop, EmulatorSettings.Sender("b", project: "shop-emulator", accounts: FCMFixture.accounts)]),
            ([], [EmulatorSettings.Sender("shop", accounts: [])]), ([], [EmulatorSettings.Sender("a b", accounts: [])]),
        ] {
            #expect(throws: EmulatorError.self) { try emulator(hubs, senders) }
        }
        #expect(throws: Never.self) { try emulator(["token"], []) }
        #expect(EmulatorSettings.Sender("My_Shop", accounts: []).project == "my-shop-emulator")
    }
}
