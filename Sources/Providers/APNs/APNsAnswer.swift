import HTTPTransport
import PushModel
import Signing

extension APNs: Provider {
    public var scheme: String { "bearer" }

    public var suspicion: String {
        switch environment {
        case .production: "sandbox tokens at production?"
        case .sandbox: "production tokens at the sandbox?"
        }
    }

    public func answer(to reply: Reply) -> Answer {
        if let answer = Answer(withoutStatus: reply) { return answer }
        var answer = Answer(verdict: .accepted, milliseconds: reply.milliseconds)
        guard case .answered(let response) = reply.outcome else { return answer }
        answer.status = response.status
        answer.notification = response["apns-id"].flatMap(PushID.init)?.text
        // By it the console for push notifications finds the push. Only the sandbox sends it.
        answer.tracking = response["apns-unique-id"].flatMap(PushID.init)?.text
        if (200...299).contains(response.status) {
            if response.isPage || response.body.first == UInt8(ascii: "<") {
                let because = "APNs replied \(response.status) with a web page, as a proxy does"
                answer.verdict = .hubNotFound(because: because)
                answer.error = because
            }
            return answer
        }
        let error = APNsError(body: response.body)
        let words = Words(response, error, reply.sent)
        answer.verdict = verdict(of: response, error, words, receivedAt: reply.receivedAt)
        answer.error = words.error
        return answer
    }

    /// The table of docs/wire/fcm-apns.md, "Answers of APNs", without 2xx.
    private func verdict(
        of response: Reply.Response, _ error: APNsError, _ words: Words, receivedAt: Double
    ) -> Verdict {
        let because = words.because
        let wait = RetryAfter(
            milliseconds: [], plain: response["retry-after"], date: response["date"], receivedAt: receivedAt
        ).seconds
        switch response.status {
        // A phone is forgotten after this, so a page of a gateway may not say it.
        case 410:
            return error.reason == nil
                ? .hubNotFound(because: because) : .targetGone(since: error.since, because: because)
        case 413: return .tooLarge(because: because)
        case 500...599: return failure(response.status, error, after: wait, because)
        default: break
        }
        switch error.cause {
        case .target: return .targetInvalid(because: because)
        case .push: return .rejected(because: because)
        case .topic, .credential: return .authFailed(because: "\(because); \(advice(for: error.reason))")
        // Perhaps its key was revoked, so another connection and the other key are tried before the hub is held.
        case .invalidToken: return .authExpired(because: "\(because); \(advice(for: error.reason))")
        case .expiredToken: return .authExpired(because: because)
        case .tokenUpdates:
            return .throttled(after: Self.updateWait, because: "\(because); no new provider token for 20 minutes")
        case .requests:
            return .throttled(after: max(wait ?? Self.throttleWait, 1), scope: .target, because: because)
        case .idle: return .notSent(because: because)
        case nil: return verdict(of: response.status, error, after: wait, because)
        }
    }

    private func failure(_ status: Int, _ error: APNsError, after wait: Double?, _ because: String) -> Verdict {
        switch status {
        // Something else answers at this address.
        case 501, 505: .hubNotFound(because: because)
        // A gateway had no answer, and APNs may have taken the push.
        case 504 where error.reason == nil: .unknown(because: because)
        default: .unavailable(after: max(wait ?? 0, Self.leastWait), because: because)
        }
    }

    /// The verdict of an answer that gives no reason, or one that Fanfare does not know.
    private func verdict(
        of status: Int, _ error: APNsError, after wait: Double?, _ because: String
    ) -> Verdict {
        switch status {
        case 401, 403, 407: .authFailed(because: because)
        case 404 where error.reason == nil, 405 where error.reason == nil, 300...399: .hubNotFound(because: because)
        case 429: .throttled(after: max(wait ?? Self.throttleWait, 1), because: because)
        case 408: .unavailable(after: wait, because: because)
        case 400...499: .rejected(because: because)
        // Not an HTTP status. The sender may or may not have passed the push on.
        default: .unknown(because: because)
        }
    }

    /// Least seconds until APNs is tried again after a 5xx (Apple, "Handling error responses from APNs").
    static let leastWait = 900.0
    /// Seconds between two provider tokens on one connection (Apple, "Establishing a token-based connection to APNs").
    static let updateWait = ProviderTokenState.leastAge
    /// Seconds to wait when APNs throttles and states no time.
    static let throttleWait = 60.0

    /// Who has to act, and how.
    private func advice(for reason: String?) -> String {
        switch reason {
        case "BadTopic": "set topic to the app's bundle id"
        case "MissingTopic": "the certificate is for several topics: set topic to the app's bundle id"
        case "TopicDisallowed":
            "the key or certificate may not send to this topic: check topic, and in the Apple developer account what the "
                + "key is for"
        case "BadCertificate": "renew the certificate in the Apple developer account, and give it to the worker"
        case "BadCertificateEnvironment": "the certificate is not for \(environment.rawValue): check environment"
        case "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken":
            "the key is not for \(environment.rawValue): check environment, or make a key for it in the Apple developer "
                + "account"
        case "InvalidProviderToken":
            "key, keyId and teamId do not belong together, the key was revoked, or this machine's clock is wrong"
        case "MissingProviderToken": "APNs wants a key or a certificate: check key, keyId and teamId, or certificate"
        default:
            "the team or its key may not send: ask the Account Holder of the Apple developer account"
        }
    }

    /// What people read of an answer.
    private struct Words {
        /// Part of a sentence: `APNs replied 400 BadDeviceToken`.
        let because: String
        /// Apple's own word; for an answer that is not Apple's, the beginning of its body.
        let error: String

        init(_ response: Reply.Response, _ error: APNsError, _ sent: Reply.Sent?) {
            if let reason = error.reason {
                // Known ones quote nothing: a busy hub gets thousands of them a second.
                let word =
                    error.cause != nil || Self.fixed.contains(reason)
                    ? reason : SentValues(sent).masked(reason.sanitised(limit: 60)).withoutDeviceTokens
                because = "APNs replied \(response.status) \(word)"
                self.error = word
            } else {
                let text = String(decoding: response.body.prefix(Self.pageLimit), as: UTF8.self)
                let line = text.isEmpty ? "" : SentValues(sent).masked(text.sanitised()).withoutDeviceTokens
                because = "APNs replied \(response.status)" + (line.isEmpty ? "" : ": \(line)")
                self.error = line.isEmpty ? because : line
            }
        }

        private static let fixed: Set<String> = [
            "Unregistered", "ExpiredToken", "PayloadTooLarge", "InternalServerError", "ServiceUnavailable", "Shutdown",
        ]
        /// Bytes of a page that are read.
        private static let pageLimit = 4_096
    }
}

extension String {
    /// Hexadecimal digits in a row that may be a device token; ids are shorter between their hyphens.
    private static let shortestToken = 16

    /// The same text with `•••` for each: a proxy may quote the path of a request, and a device token is as good as an address.
    var withoutDeviceTokens: String {
        var shown: [UInt8] = []
        var run: [UInt8] = []
        func close() {
            shown += run.count >= Self.shortestToken ? Array(SecretMask.mask.utf8) : run
            run = []
        }
        for byte in utf8 {
            if byte.isHexadecimal {
                run.append(byte)
            } else {
                close()
                shown.append(byte)
            }
        }
        close()
        return String(decoding: shown, as: UTF8.self)
    }
}
