import HTTPTransport
import PushModel
import Signing

@testable import Providers

/// What must hold for any bytes that FCM, its token endpoint, a row or an operator gives us. `FCMParserTests` runs it over
/// seeds and mutations of them, bin/fuzz over libFuzzer's inputs.
enum FCMCheck: String, CaseIterable, Sendable {
    case account, fcmAnswer, accessToken, fcmMessage

    /// A promise that did not hold.
    struct Broken: Error {
        let promise: String
    }

    func run(_ bytes: [UInt8]) throws {
        switch self {
        case .account: try Self.account(String(decoding: bytes, as: UTF8.self))
        case .fcmAnswer: try Self.answer(bytes)
        case .accessToken: try Self.accessToken(bytes)
        case .fcmMessage: try Self.message(Array(String(decoding: bytes, as: UTF8.self).utf8))
        }
    }

    private static func hold(_ condition: Bool, _ promise: @autoclosure () -> String) throws(Broken) {
        if !condition { throw Broken(promise: promise()) }
    }

    private static let now = 1_700_000_000.0

    private static func account(_ text: String) throws {
        let account: ServiceAccount
        do throws(ServiceAccountError) {
            account = try ServiceAccount(parsing: text)
        } catch {
            return try isLine(error.description, limit: 200)
        }
        let address = account.tokenAddress
        let local = ["127.", "localhost", "[::1]"].contains { address.host.hasPrefix($0) }
        try hold(
            address.text.hasPrefix("https://") || local && address.text.hasPrefix("http://"), "no secret in plain text")
        try hold((RSAKey.leastBits...RSAKey.mostBits).contains(account.key.bits), "a key has a length")
        let parts = try JWTAssertion.sign(for: account, now: 1).reveal().split(
            separator: ".", omittingEmptySubsequences: false)
        try hold(parts.count == 3, "an assertion has three parts")
        for part in parts[..<2] {
            let json = Base64.decodeURL(part).flatMap { try? JSONNode($0) }
            guard case .object = json?.value else { throw Broken(promise: "a part is an object") }
        }
        let signed = Array(parts[..<2].joined(separator: ".").utf8)
        try hold(account.key.verifies(Base64.decodeURL(parts[2]) ?? [], of: signed), "an assertion is signed")
        try hold(!"\(account)".contains("PRIVATE KEY"), "an account does not print its key")
    }

    private static let statuses = [200, 400, 401, 403, 404, 429, 500, 502, 503, 504]

    /// The first byte chooses the status, the rest is the body.
    private static func answer(_ bytes: [UInt8]) throws {
        let body = Array(bytes.dropFirst())
        let status = statuses[Int(bytes.first ?? 0) % statuses.count]
        let reply = Reply(id: 1, outcome: .answered(.init(status: status, body: body)), receivedAt: now)
        for isDoubted in [false, true] {
            let answer = try FCM(project: "p", doubtsUnavailable: isDoubted, now: { now }).answer(to: reply)
            try isLine(answer.error ?? "", limit: 500)
            try hold((answer.error == nil) == (answer.verdict == .accepted), "a refusal has words")
            try hold(answer.notification?.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ?? true, "an id is one word")
            switch answer.verdict {
            case .targetGone:
                let says = ["UNREGISTERED", "FcmError"].allSatisfy {
                    String(decoding: body, as: UTF8.self).contains($0)
                }
                // A name can be written with escapes.
                try hold(says || body.contains(UInt8(ascii: "\\")), "only UNREGISTERED means gone")
            case .throttled(let after, _, _): try hold((1...RetryAfter.longest).contains(after), "a wait has bounds")
            case .unavailable(let after, _):
                try hold((10...RetryAfter.longest).contains(after ?? 0), "a wait has bounds")
                try hold(!isDoubted || status != 500 && status != 503, "what may have arrived is in doubt")
            default: break
            }
        }
    }

    private static func accessToken(_ bytes: [UInt8]) throws {
        for status in statuses {
            let reply = Reply(id: 1, outcome: .answered(.init(status: status, body: bytes)), receivedAt: now)
            switch AccessTokenAnswer(reply, to: Secret("eyJhbGciOiJSUzI1NiJ9.e30.c2lnbmF0dXJl"), skew: nil) {
            case .token(let header, let life):
                try hold(status == 200, "a token comes with success")
                try hold((1...AccessTokenAnswer.longestLife).contains(life), "a life has bounds")
                do throws(HeaderError) {
                    _ = try HeaderLine("Authorization", header.reveal())
                } catch {
                    throw Broken(promise: "a token fits into a header: \(error)")
                }
            case .later(let after, let because):
                try hold(after == nil && status != 200, "nothing in a body names a wait")
                try isLine(because, limit: 600)
            case .refused(let because): try isLine(because, limit: 600)
            }
        }
    }

    private static func message(_ bytes: [UInt8]) throws {
        let message: FCMMessage
        do throws(InvalidPost) {
            message = try FCMMessage(bytes)
        } catch {
            return try isLine(error.description, limit: 300)
        }
        let before = try JSONNode(bytes).value["message"]
        let life = FCMMessage.Life(until: now + 60, now: now)
        for (life, isTest) in [(life, false), (nil, true)] {
            let body = message.body(to: .token("a\"\\"), life: life, validateOnly: isTest)
            guard case .object(let members) = try JSONNode(body).value, let last = members.last else {
                throw Broken(promise: "a body is an object")
            }
            try hold(
                members.map(\.name) == (isTest ? ["validate_only", "message"] : ["message"]), "a row adds no members")
            let after = last.node.value
            try hold(after["token"] == .string("a\"\\"), "the target is the row's")
            for name in ["fid", "topic", "condition"] { try hold(after[name] == nil, "there is one target") }
            try hold(before.map { holds(after, $0) } ?? false, "all that the row says is in it")
        }
    }

    /// Whether a value has all that the other one has.
    private static func holds(_ value: JSONValue, _ part: JSONValue) -> Bool {
        switch (value, part) {
        case (.object, .object(let members)):
            members.allSatisfy { member in
                guard let one = value[member.name], let other = part[member.name] else { return false }
                return holds(one, other)
            }
        case (.array(let ones), .array(let others)):
            ones.count == others.count && zip(ones, others).allSatisfy { holds($0.value, $1.value) }
        default: value == part
        }
    }

    private static func isLine(_ text: String, limit: Int) throws(Broken) {
        try hold(text.count <= limit, "a text has at most \(limit) characters: \(text)")
        try hold(
            text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0.value != 0x202E },
            "a text is one line without control characters")
    }
}
