import Concurrency
import Foundation
import HTTPTransport
import Signing
import Synchronization
import Testing
import VectorSupport

@testable import Providers

@Suite(.timeLimit(.minutes(1))) struct AccessTokensTests {
    /// A token endpoint in memory: each request waits for its answer.
    private final class TokenEndpoint: Sendable {
        private struct State {
            var requests: [Request] = []
            var answers: [Reply] = []
            var tokens = 0
        }

        private let state = Mutex(State())
        private let arrived = Mailbox<Request>()
        let release = Mailbox<Reply>()
        let holds: Bool

        /// - Parameter holds: whether requests wait for `release`; else each gets a token at once.
        init(holds: Bool = false) { self.holds = holds }

        func perform(_ request: Request) async -> Reply {
            arrived.post(request)
            if holds { return await release.next() }
            let number = state.withLock { state in
                state.tokens += 1
                return state.tokens
            }
            return Self.token("ya29.\(number)")
        }

        func request() async -> Request { await arrived.next() }

        static func token(_ token: String) -> Reply {
            TestFCM.reply(200, text: #"{"access_token":"\#(token)","expires_in":3599,"token_type":"Bearer"}"#)
        }
    }

    private static func account(_ change: (inout [String: Any]) -> Void = { _ in }) throws -> ServiceAccount {
        var members = try #require(Vectors.object("fcm-apns/fcm-oauth")["service_account"] as? [String: Any])
        change(&members)
        return try ServiceAccount(parsing: TestFCM.text(members))
    }

    private static func second() throws -> ServiceAccount {
        let key = try #require(Vectors.object("fcm-apns/account_keys")["second_account"] as? String)
        return try account { $0["private_key"] = key }
    }

    private func tokens(
        _ endpoint: TokenEndpoint, secondary: ServiceAccount? = nil, continuing earlier: AccessTokens? = nil
    ) throws -> AccessTokens {
        try AccessTokens(
            primary: Self.account(), secondary: secondary, version: "1.2.3", continuing: earlier, now: { TestFCM.now },
            random: { 0 }, pause: { _ in await Latch().wait() }, perform: endpoint.perform)
    }

    /// Waits until the source has a pass: an exchange has ended.
    private func pass(_ tokens: AccessTokens, otherThan old: Pass? = nil) async -> Pass {
        while true {
            if let pass = tokens.pass(for: "https://fcm.googleapis.com"), pass != old { return pass }
            await Task.yield()
        }
    }

    @Test func theRequestOfTheVectorsIsSent() async throws {
        let endpoint = TokenEndpoint()
        let tokens = try tokens(endpoint)
        #expect(tokens.pass(for: "x") == nil && tokens.expiry == nil && tokens.issued == 0)
        let loop = Task { await tokens.keepReady { _ in } }
        let request = await endpoint.request()
        let expected = try #require(Vectors.object("fcm-apns/fcm-oauth")["expected"] as? [String: Any])
        let sent = try #require(expected["token_request"] as? [String: Any])
        #expect(request.method.rawValue == sent["method"] as? String && request.url == sent["url"] as? String)
        #expect(String(decoding: request.body, as: UTF8.self) == sent["body"] as? String)
        let lines = request.shownHeaders.map { "\($0.name.lowercased()): \($0.value)" }
        #expect(lines == ["content-type: application/x-www-form-urlencoded", "user-agent: fanfare/1.2.3"])
        #expect(await pass(tokens).header == Secret("Bearer ya29.1"))
        #expect(tokens.expiry == 1_700_003_599 && tokens.issued == 1 && tokens.trouble == nil)
        loop.cancel()
        await loop.value
    }

    @Test func aForgottenTokenCausesANewExchange() async throws {
        let endpoint = TokenEndpoint()
        let tokens = try tokens(endpoint)
        let loop = Task { await tokens.keepReady { _ in } }
        let first = await pass(tokens)
        tokens.forget(first)
        let second = await pass(tokens, otherThan: first)
        #expect(second.header == Secret("Bearer ya29.2") && tokens.issued == 2)
        tokens.forget(first)
        #expect(tokens.pass(for: "x") == second)
        loop.cancel()
        await loop.value
    }

    @Test func theOtherAccountSignsAfterASwitch() async throws {
        let endpoint = TokenEndpoint()
        let tokens = try tokens(endpoint, secondary: Self.second())
        #expect(tokens.hasSecondary && !tokens.usesSecondary)
        let loop = Task { await tokens.keepReady { _ in } }
        let first = await pass(tokens)
        let one = await endpoint.request()
        #expect(tokens.useOther(than: first) && tokens.usesSecondary)
        let second = await pass(tokens, otherThan: first)
        let other = await endpoint.request()
        #expect(first.number & 1 == 0 && second.number & 1 == 1)
        #expect(one.body != other.body)
        #expect(tokens.use(secondary: false) && !tokens.usesSecondary && !tokens.use(secondary: false))
        loop.cancel()
        await loop.value
    }

    @Test func manyLoopsMakeOneRequest() async throws {
        let endpoint = TokenEndpoint(holds: true)
        let tokens = try tokens(endpoint)
        let more = try (0..<5).map { _ in try self.tokens(endpoint, continuing: tokens) }
        let loops = ([tokens] + more).map { source in Task { await source.keepReady { _ in } } }
        _ = await endpoint.request()
        endpoint.release.post(TokenEndpoint.token("ya29.only"))
        for source in more { #expect(await pass(source).header == Secret("Bearer ya29.only")) }
        #expect(more[0].issued == 1 && tokens.issued == 1)
        for loop in loops { loop.cancel() }
        for loop in loops { await loop.value }
    }

    @Test func aReloadKeepsTheTokenOfTheSameAccounts() async throws {
        let endpoint = TokenEndpoint()
        let old = try tokens(endpoint)
        let loop = Task { await old.keepReady { _ in } }
        let first = await pass(old)
        let next = try tokens(endpoint, continuing: old)
        #expect(next.pass(for: "x") == first && next.issued == 1)
        next.forget(first)
        #expect(old.pass(for: "x") != first, "both are in step")
        let other = try tokens(endpoint, secondary: Self.second(), continuing: old)
        #expect(other.pass(for: "x") == nil && other.issued == 0)
        loop.cancel()
        await loop.value
        let otherLoop = Task { await other.keepReady { _ in } }
        #expect(await pass(other).number > first.number, "no two passes of a hub have one number")
        otherLoop.cancel()
        await otherLoop.value
    }

    /// SIGHUP while a token is being fetched.
    @Test func aReloadInTheMiddleOfAnExchangeBeginsAnew() async throws {
        let slow = TokenEndpoint(holds: true)
        let old = try tokens(slow)
        let oldLoop = Task { await old.keepReady { _ in } }
        _ = await slow.request()
        let endpoint = TokenEndpoint()
        let next = try tokens(endpoint, continuing: old)
        let loop = Task { await next.keepReady { _ in } }
        oldLoop.cancel()
        slow.release.post(Reply(id: 0, outcome: .unknown(.init(code: 42, text: "cancelled"))))
        await oldLoop.value
        #expect(await pass(next).header == Secret("Bearer ya29.1"))
        #expect(next.trouble == nil && next.issued == 1)
        loop.cancel()
        await loop.value
    }

    @Test func aTokenThatArrivesAfterTheEndOfItsTaskIsUsed() async throws {
        let slow = TokenEndpoint(holds: true)
        let tokens = try tokens(slow)
        let loop = Task { await tokens.keepReady { _ in } }
        _ = await slow.request()
        loop.cancel()
        slow.release.post(TokenEndpoint.token("ya29.late"))
        await loop.value
        #expect(tokens.pass(for: "x")?.header == Secret("Bearer ya29.late"))
    }

    @Test func aRefusalIsReportedWithoutASecret() async throws {
        let endpoint = TokenEndpoint(holds: true)
        let changes = Mailbox<PassTrouble?>()
        let tokens = try tokens(endpoint)
        let loop = Task { await tokens.keepReady { changes.post($0) } }
        #expect(await changes.next() == .waiting(because: "an access token is being fetched"))
        let request = await endpoint.request()
        let body = String(decoding: request.body, as: UTF8.self)
        endpoint.release.post(TestFCM.reply(400, text: #"{"error":"invalid_grant","error_description":"\#(body)"}"#))
        guard case .refused(let because) = await changes.next() else { return #expect(Bool(false)) }
        #expect(because.hasPrefix("the token endpoint replied 400: invalid_grant: ") && because.contains("•••"))
        #expect(tokens.trouble == .refused(because: because))
        let jwt = try #require(body.split(separator: "=").last)
        for part in jwt.split(separator: ".") { #expect(!because.contains(part.prefix(12))) }
        loop.cancel()
        await loop.value
    }

    /// A lane that found no pass waits for word of the next one, whatever was reported before.
    @Test func everyNewTokenIsReported() async throws {
        let endpoint = TokenEndpoint()
        let changes = Mailbox<PassTrouble?>()
        let tokens = try tokens(endpoint)
        let loop = Task { await tokens.keepReady { changes.post($0) } }
        #expect(await changes.next() != nil)
        #expect(await changes.next() == nil)
        tokens.forget(await pass(tokens))
        while await changes.next() != nil {}
        #expect(tokens.issued == 2)
        loop.cancel()
        await loop.value
    }

    @Test func noPartOfItPrintsASecret() async throws {
        let endpoint = TokenEndpoint()
        let tokens = try tokens(endpoint)
        let loop = Task { await tokens.keepReady { _ in } }
        _ = await pass(tokens)
        loop.cancel()
        await loop.value
        var printed = "\(tokens)"
        dump(tokens, to: &printed)
        #expect(!printed.contains("ya29") && !printed.contains("MIIE"))
    }
}
