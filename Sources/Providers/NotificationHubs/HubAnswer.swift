import HTTPTransport
import PushModel

extension NotificationHubs {
    public func answer(to reply: Reply) -> Answer {
        if let answer = Answer(withoutStatus: reply) { return answer }
        var answer = Answer(verdict: .accepted, milliseconds: reply.milliseconds)
        guard case .answered(let response) = reply.outcome else { return answer }
        answer.status = response.status
        // Nearly every answer: read only the three headers that these have.
        if response.status >= 200, response.status < 300 {
            answer.tracking = Self.tracking(of: response, HubError())
            if response.isPage {
                // Without a word of the page: it may quote what was sent, which is not kept for a 2xx.
                let because = "hub replied \(response.status) with a web page, as a proxy does"
                answer.verdict = .hubNotFound(because: because)
                answer.error = because
            } else {
                answer.notification = response["location"].flatMap(NotificationID.init(location:))?.text
            }
        } else {
            let error = HubError(body: response.body)
            let values = SentValues(response.body.isEmpty ? nil : reply.sent)
            answer.tracking = Self.tracking(of: response, error)
            answer.verdict = Self.verdict(of: response, error, values, receivedAt: reply.receivedAt)
            answer.error = Self.text(of: response, error, values)
        }
        return answer
    }

    /// The table of docs/wire/notification-hubs.md, "Status codes", without 2xx.
    private static func verdict(
        of response: Reply.Response, _ error: HubError, _ values: SentValues, receivedAt: Double
    ) -> Verdict {
        let because = because(response.status, error, values)
        let wait = RetryAfter(
            milliseconds: [response["retry-after-ms"], response["x-ms-retry-after-ms"]].compactMap(\.self),
            plain: response["retry-after"], date: response["date"], receivedAt: receivedAt)
        switch (response.status, wait) {
        // Older API versions throttle with 403, some of them without a time.
        case (429, _), (403, .given), (503, .given):
            return .throttled(after: wait.seconds ?? defaultWait, because: because)
        case (403, .absent):
            switch ForbiddenCause(error) {
            case .throttled: return .throttled(after: defaultWait, because: because)
            case .quota: return .quotaExceeded(because: because)
            case .tooLarge: return .tooLarge(because: because)
            case .refused: return .authFailed(because: because)
            }
        case (401, _): return .authExpired(because: because)
        // 407: a proxy asks for credentials.
        case (407, _): return .authFailed(because: because)
        // Something else answers at this address. We never follow a redirect, because the token would go along.
        case (300...399, _), (404, _), (501, _), (505, _): return .hubNotFound(because: because)
        case (413, _): return .tooLarge(because: because)
        case (408, _), (500...599, _): return .unavailable(after: wait.seconds, because: because)
        case (400...499, _): return .rejected(because: because)
        // Not an HTTP status. The sender may or may not have passed the post on.
        default: return .unknown(because: because)
        }
    }

    /// Seconds to wait when a throttling hub states no time, or one that we cannot read (.NET SDK).
    private static let defaultWait = 10.0

    private static func because(_ status: Int, _ error: HubError, _ values: SentValues) -> String {
        let detail = values.masked(error.detail.sanitised())
        // It becomes part of sentences.
        let words = detail.hasSuffix(".") ? String(detail.dropLast()) : detail
        return words.isEmpty ? "hub replied \(status)" : "hub replied \(status): \(words)"
    }

    /// The service's own words; for an answer that is not the service's, the beginning of its body.
    private static func text(of response: Reply.Response, _ error: HubError, _ values: SentValues) -> String {
        let body = String(decoding: response.body.prefix(4096), as: UTF8.self)
        let line = values.masked((error.detail.isEmpty ? body : error.detail).sanitised())
        return line.isEmpty ? because(response.status, error, values) : line
    }

    /// What Azure support asks for, best first; the correlation id names the same request.
    private static func tracking(of response: Reply.Response, _ error: HubError) -> String? {
        let candidates = [response["trackingid"], error.tracking, response["x-ms-correlation-request-id"]]
        return candidates.lazy.compactMap(\.self).map { $0.sanitised(limit: 100) }.first { !$0.isEmpty }
    }
}
