import HTTPTransport
import PushModel

extension FCM: Provider {
    public var scheme: String { "Bearer" }
    public var suspicion: String { "tokens of another project?" }

    public func answer(to reply: Reply) -> Answer {
        if let answer = Answer(withoutStatus: reply) { return answer }
        var answer = Answer(verdict: .accepted, milliseconds: reply.milliseconds)
        guard case .answered(let response) = reply.outcome else { return answer }
        answer.status = response.status
        if (200...299).contains(response.status) {
            if response.isPage || response.body.first == UInt8(ascii: "<") {
                // Without a word of the page: it may quote what was sent, which is not kept for a 2xx.
                let because = "FCM replied \(response.status) with a web page, as a proxy does"
                answer.verdict = .hubNotFound(because: because)
                answer.error = because
            } else {
                answer.notification = FCMMessageName(body: response.body)?.text
            }
        } else {
            let error = FCMError(body: response.body)
            let words = Words(response, error, reply.sent)
            answer.verdict = verdict(of: response, error, words.because, receivedAt: reply.receivedAt)
            answer.error = words.error
        }
        return answer
    }

    /// The table of docs/wire/fcm-apns.md, "Errors of FCM", without 2xx: FCM's own code decides, then the general one, then
    /// the HTTP status.
    private func verdict(
        of response: Reply.Response, _ error: FCMError, _ because: String, receivedAt: Double
    ) -> Verdict {
        let wait = RetryAfter(
            milliseconds: [], plain: response["retry-after"], date: response["date"], receivedAt: receivedAt
        ).seconds
        switch error.cause {
        case .unregistered: return .targetGone(because: because)
        case .otherSender:
            return .targetInvalid(because: "\(because); the registration token belongs to another Firebase project")
        case .argument:
            return error.blamesTarget ? .targetInvalid(because: because) : .rejected(because: because)
        case .quota: return throttled(after: wait, error, because)
        case .unavailable: return unavailable(response, after: wait, because)
        case .thirdParty:
            // A new token does not help, and neither does another account.
            return .authFailed(
                because:
                    "\(because); put the key of APNs, or of Web Push, right in the Firebase console: Project settings, "
                    + "Cloud Messaging")
        case .unauthenticated: return .authExpired(because: because)
        case .denied: return .authFailed(because: because)
        case .notFound: return .hubNotFound(because: because)
        case .unanswered: return .unknown(because: because)
        case nil: break
        }
        switch response.status {
        case 429: return throttled(after: wait, error, because)
        case 401: return .authExpired(because: because)
        // 407: a proxy asks for credentials.
        case 403, 407: return .authFailed(because: because)
        // Something else answers at this address, or there is no such project. We never follow a redirect, because the token
        // would go along. No token is gone because of a 404 that does not say so.
        case 300...399, 404, 501, 505: return .hubNotFound(because: because)
        case 413: return .tooLarge(because: because)
        // A gateway had no answer, and FCM may have taken the message.
        case 504: return .unknown(because: because)
        case 408, 500...599: return unavailable(response, after: wait, because)
        case 400...499: return .rejected(because: because)
        // Not an HTTP status. The sender may or may not have passed the post on.
        default: return .unknown(because: because)
        }
    }

    /// Seconds to wait when FCM throttles and states no time (Firebase, ErrorCode page: at least a minute).
    private static let throttleWait = 60.0
    /// Least seconds until FCM is tried again after a 5xx (Firebase, "Best practices when sending at scale").
    private static let leastWait = 10.0

    private func throttled(after wait: Double?, _ error: FCMError, _ because: String) -> Verdict {
        // A time that has passed would open the gate at once.
        .throttled(
            after: max(wait ?? Self.throttleWait, 1), scope: error.namesDevice ? .target : .hub, because: because)
    }

    private func unavailable(_ response: Reply.Response, after wait: Double?, _ because: String) -> Verdict {
        // Deliveries after such an answer have been seen (docs/wire/fcm-apns.md, "Errors of FCM").
        if doubtsUnavailable, response.status == 500 || response.status == 503 { return .unknown(because: because) }
        return .unavailable(after: max(wait ?? response.secondsOnPage ?? 0, Self.leastWait), because: because)
    }

    /// What people read of an answer.
    private struct Words {
        /// Part of a sentence: `FCM replied 400 INVALID_ARGUMENT (message.token): Invalid registration token`.
        let because: String
        /// FCM's own words; for an answer that is not FCM's, the beginning of its body.
        let error: String

        /// Google's own sentences, which quote nothing: a busy hub sends thousands of them a second.
        private static let fixed: Set<String> = [
            "Requested entity was not found.", "Request contains an invalid argument.", "SenderId mismatch",
            "Internal error encountered.", "The service is currently unavailable.",
        ]

        /// As sentences: not every one of Google's ends with a stop.
        private static func joined(_ sentences: [String]) -> String {
            sentences.filter { !$0.isEmpty }.reduce("") { text, next in
                text.isEmpty ? next : text + (text.hasSuffix(".") ? " " : ". ") + next
            }
        }

        init(_ response: Reply.Response, _ error: FCMError, _ sent: Reply.Sent?) {
            let sentence = Self.joined([error.message] + error.violations.map(\.words))
            let text = sentence.isEmpty ? String(decoding: response.beginning, as: UTF8.self) : sentence
            let line = text.isEmpty || Self.fixed.contains(text) ? text : SentValues(sent).masked(text.sanitised())
            let said = sentence.isEmpty ? "" : line.hasSuffix(".") ? String(line.dropLast()) : line
            let name = error.name.map { " \($0.sanitised(limit: 60))" } ?? ""
            let field = error.violations.first.map { " (\($0.field.sanitised(limit: 100)))" } ?? ""
            because = "FCM replied \(response.status)\(name)\(field)" + (said.isEmpty ? "" : ": \(said)")
            self.error = line.isEmpty ? because : line
        }
    }
}

extension Reply.Response {
    /// Bytes of a page that are read.
    private static let pageLimit = 4_096

    fileprivate var beginning: ArraySlice<UInt8> { body.prefix(Self.pageLimit) }

    /// The wait that the page of a gateway names in its text: `Please try again in 30 seconds.`
    fileprivate var secondsOnPage: Double? {
        guard body.first == UInt8(ascii: "<"),
            let end = beginning.first(" seconds")?.lowerBound
        else { return nil }
        let digits = body[..<end].reversed().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.reversed()
        return Double(String(decoding: digits, as: UTF8.self)).map { min($0, RetryAfter.longest) }
    }
}
