import HTTPTransport
import PushModel
import Signing

@testable import Providers

/// What must hold for any bytes that APNs, a row or an operator gives us. `APNsParserTests` runs it over seeds and mutations of
/// them, bin/fuzz over libFuzzer's inputs.
enum APNsCheck: String, CaseIterable, Sendable {
    case providerKey, apnsAnswer, applePush

    /// A promise that did not hold.
    struct Broken: Error {
        let promise: String
    }

    func run(_ bytes: [UInt8]) throws {
        switch self {
        case .providerKey: try Self.key(String(decoding: bytes, as: UTF8.self))
        case .apnsAnswer: try Self.answer(bytes)
        case .applePush: try Self.push(String(decoding: bytes, as: UTF8.self))
        }
    }

    private static func hold(_ condition: Bool, _ promise: @autoclosure () -> String) throws(Broken) {
        if !condition { throw Broken(promise: promise()) }
    }

    private static let now = 1_700_000_000.0

    private static func key(_ text: String) throws {
        let key: P256Key
        do throws(P256KeyError) {
            key = try P256Key(pem: Secret(text))
        } catch {
            return try isLine(error.description, limit: 200)
        }
        let signature = try key.sign([1, 2, 3])
        try hold(signature.count == 64, "a signature has two numbers")
        guard let verification = P256Verification(publicKey: key.publicKey) else {
            throw Broken(promise: "the open half is a key")
        }
        try hold(verification.isValid(signature, of: [1, 2, 3]), "a key signs")
        try hold(!verification.isValid(signature, of: [1, 2]), "a signature is of one message")
        try hold(!"\(key)".contains("PRIVATE KEY"), "a key does not print")
    }

    private static let statuses = [200, 400, 403, 404, 405, 410, 413, 429, 500, 503, 504]

    /// The first byte chooses the status, the rest is the body.
    private static func answer(_ bytes: [UInt8]) throws {
        let body = Array(bytes.dropFirst())
        let status = statuses[Int(bytes.first ?? 0) % statuses.count]
        let id = String(decoding: body.prefix(36), as: UTF8.self)
        let reply = Reply(
            id: 1,
            outcome: .answered(.init(status: status, headers: [("apns-id", id), ("apns-unique-id", id)], body: body)),
            receivedAt: now)
        let answer = try APNs(topic: "a.b", environment: .sandbox, database: 1).answer(to: reply)
        try isLine(answer.error ?? "", limit: 500)
        try hold((answer.error == nil) == (answer.verdict == .accepted), "a refusal has words")
        for kept in [answer.notification, answer.tracking] {
            try hold(kept.map { $0.utf8.count == 36 && !$0.contains(" ") } ?? true, "an id is one word")
        }
        switch answer.verdict {
        case .targetGone(let since, let because):
            try hold(status == 410 && body.contains(UInt8(ascii: "{")), "only 410 with a reason means gone")
            try hold(since.map { 0 < $0 && $0 < 253_402_300_800 } ?? true, "a time is one of this calendar")
            try isLine(GoneNote.text(since: since, because: because), limit: 600)
        case .throttled(let after, _, _): try hold((1...RetryAfter.longest).contains(after), "a wait has bounds")
        case .unavailable(let after, _):
            try hold((900...RetryAfter.longest).contains(after ?? 0), "a wait has bounds")
        default: break
        }
    }

    /// The first line is the handle, the second a header, the third its value, the rest the payload.
    private static func push(_ text: String) throws {
        let parts = text.split(separator: "\n", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4 else { return }
        let post = Post(
            messages: [1], target: .handles([parts[0]]), format: "apple",
            headers: parts[1].isEmpty ? [] : [Post.Header(name: parts[1], value: parts[2])], body: Array(parts[3].utf8),
            expiresAt: now)
        let pass = Pass(header: Secret("bearer e"), number: 1, expiry: 1, credential: 5, generation: 6)
        let apns = try APNs(topic: "a.b", environment: .production, database: 1)
        let request: Request
        do throws(InvalidPost) {
            request = try apns.request(for: post, id: 9, with: pass)
        } catch {
            return try isLine(error.description, limit: 300)
        }
        let start = "https://api.push.apple.com/3/device/"
        try hold(request.url.hasPrefix(start), "a request goes to Apple")
        try hold(
            request.url.dropFirst(start.count).utf8.allSatisfy { $0.isHexadecimal && !(65...90).contains($0) },
            "a handle is digits")
        var lines: [String: String] = [:]
        for (name, value) in request.shownHeaders {
            try hold(lines.updateValue(value, forKey: name.lowercased()) == nil, "no header stands twice")
            let isLine = value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
            try hold(isLine || name == "Authorization", "a header is one line")
        }
        try hold(lines["authorization"] == "bearer •••", "nobody sets the pass")
        guard let type = lines["apns-push-type"].flatMap(ApplePushType.init) else {
            throw Broken(promise: "a push has a type")
        }
        try hold(type != .background || lines["apns-priority"] == "5", "a background push has priority 5")
        try hold(lines["apns-topic"]?.hasPrefix("a.b") == true, "a topic is the hub's")
        try hold(lines["apns-id"].flatMap(PushID.init) != nil, "a push has an id")
        let expiration = lines["apns-expiration"].flatMap { UInt64($0) }
        try hold(
            expiration == 1_700_000_000 || parts[1].lowercased() == "apns-expiration", "a life is the row's")
        try hold(request.body == post.body && request.body.count <= type.payloadLimit, "a payload goes on as it is")
        try hold(request.group == ConnectionGroup(credential: 5, generation: 6), "a connection is of one key")
    }

    private static func isLine(_ text: String, limit: Int) throws(Broken) {
        try hold(text.count <= limit, "a text has at most \(limit) characters: \(text)")
        try hold(
            text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0.value != 0x202E },
            "a text is one line without control characters")
    }
}
