import HTTPTransport
import PushModel
import Signing

/// What the token endpoint answered to one request (docs/wire/fcm-apns.md, "Access token").
enum AccessTokenAnswer: Equatable {
    /// - header: the value of `Authorization`.
    /// - life: seconds from the request on.
    case token(header: Secret, life: Int64)
    /// Asked again by itself.
    ///
    /// - after: least seconds, as the endpoint asks; nil: it names none.
    case later(after: Double?, because: String)
    /// The endpoint refuses the account, our clock or our request.
    case refused(because: String)

    /// Seconds of a token whose answer states none.
    static let shortLife: Int64 = 60
    /// Most seconds that are believed: what Google gives out with a longer life than usual.
    static let longestLife: Int64 = 43_200
    /// Bytes of an answer that are read, and characters of a token: what fits into a header line.
    private static let bodyLimit = 65_536
    private static let tokenLimit = 8_000

    /// - Parameters:
    ///   - assertion: what was sent; taken out of all that is quoted.
    ///   - skew: seconds by which our clock is ahead of the endpoint's; nil: not known.
    init(_ reply: Reply, to assertion: Secret, skew: Double?) {
        // The endpoint, or a proxy before it, may quote what it refuses.
        let sent = SentValues(Reply.Sent(headers: [assertion.reveal()]))
        guard case .answered(let response) = reply.outcome else {
            self = Self.unanswered(reply)
            return
        }
        if (200...299).contains(response.status) {
            self = Self.granted(response)
            return
        }
        let error = TokenError(body: response.body.count > Self.bodyLimit ? [] : response.body)
        let words = sent.masked(error.words.sanitised())
        let said = words.hasSuffix(".") ? String(words.dropLast()) : words
        let because = "the token endpoint replied \(response.status)" + (said.isEmpty ? "" : ": \(said)")
        if Self.isPassing(response.status) || error.isPassing {
            let wait = RetryAfter(
                milliseconds: [], plain: response["retry-after"], date: response["date"], receivedAt: reply.receivedAt)
            self = .later(after: wait.seconds, because: because)
        } else {
            self = .refused(because: because + (error.blamesClock ? "; \(Self.clock(skew))" : ""))
        }
    }

    /// google-auth's list, and the other 5xx of a gateway; 501 and 505 say that this is no token endpoint.
    private static func isPassing(_ status: Int) -> Bool {
        status == 408 || status == 429 || (500...599).contains(status) && status != 501 && status != 505
    }

    private static func unanswered(_ reply: Reply) -> AccessTokenAnswer {
        switch Answer(withoutStatus: reply)?.verdict {
        case .authFailed(let because): .refused(because: "the token endpoint cannot prove who it is: \(because)")
        case .notSent(let because), .unknown(let because): .later(after: nil, because: "the token endpoint: \(because)")
        default: .later(after: nil, because: "the token endpoint did not answer")
        }
    }

    private static func granted(_ response: Reply.Response) -> AccessTokenAnswer {
        if response.isPage || response.body.first == UInt8(ascii: "<") {
            return .refused(because: "the token endpoint replied \(response.status) with a web page, as a proxy does")
        }
        guard response.body.count <= bodyLimit, let answer = try? JSONNode(response.body).value else {
            return .refused(because: "the token endpoint replied \(response.status) with something that is not JSON")
        }
        guard let token = answer["access_token"]?.text, (1...tokenLimit).contains(token.utf8.count),
            token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return .refused(because: "the token endpoint replied \(response.status) without an access token") }
        return .token(header: Secret("Bearer \(token)"), life: life(answer["expires_in"]))
    }

    /// A number, or a string that holds one, as some endpoints write it.
    private static func life(_ value: JSONValue?) -> Int64 {
        let text: String? =
            switch value {
            case .number(let digits): digits
            case .string(let digits): digits
            default: nil
            }
        guard let seconds = text.flatMap(Double.init), seconds >= 1 else { return shortLife }
        return Int64(min(seconds, Double(longestLife)))
    }

    /// How the words begin that blame our clock.
    static let clockIs = "the clock of this machine is "

    private static func clock(_ skew: Double?) -> String {
        guard let skew else { return clockIs + "probably wrong" }
        // Whole seconds on the other side, and the way there.
        guard abs(skew) >= 2 else { return "the clock of this machine agrees with the endpoint's" }
        return clockIs + "\(Int(min(abs(skew), 1e9))) s \(skew > 0 ? "ahead of" : "behind") the endpoint's"
    }
}

/// `{"error":"invalid_grant","error_description":"…"}` (RFC 6749 section 5.2), or the form that Google's APIs have:
/// `{"error":{"status":"…","message":"…"}}`.
private struct TokenError {
    private var code = ""
    private var description = ""

    init(body: [UInt8]) {
        guard body.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"), let answer = try? JSONNode(body).value else {
            return
        }
        code = answer["error"]?.text ?? answer["error"]?["status"]?.text ?? ""
        description = answer["error_description"]?.text ?? answer["error"]?["message"]?.text ?? ""
    }

    var words: String { [code, description].filter { !$0.isEmpty }.joined(separator: ": ") }

    /// google-auth asks again after these, whatever the status.
    var isPassing: Bool {
        [code, description].contains { ["internal_failure", "server_error", "temporarily_unavailable"].contains($0) }
    }

    var blamesClock: Bool {
        code == "invalid_grant"
            && description.lowercased().split { !$0.isLetter }.contains { $0 == "iat" || $0 == "exp" }
    }
}
