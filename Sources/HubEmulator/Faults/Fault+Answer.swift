import HTTPTypes

extension Fault {
    /// nil: nothing is answered.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970, by the clock that dates the answer.
    ///   - waitSeconds: until a rate limit lets the next one pass; nil: none was hit.
    func answer(now: Double, waitSeconds: Double? = nil) -> Response? {
        guard let status else { return nil }
        let tracking = FakeIDs.tracking()
        var answer: Response
        if html {
            let page = "<html><head><title>\(status)</title></head><body><h1>\(status)</h1></body></html>"
            answer = Response(status: status, headers: [.contentType: "text/html"], body: Array(page.utf8))
        } else if status < 300 {
            answer = .xml(status)
            answer.headers[.trackingID] = tracking
        } else {
            let refusal = ServiceError(
                status: status, detail: detail(of: status) ?? "The fault script says \(status).")
            answer = .refusal(refusal, tracking: tracking, at: CivilTime(secondsSince1970: now))
        }
        switch retryAfter {
        case .seconds(let seconds): answer.headers[.retryAfter] = "\(seconds)"
        case .date(let seconds):
            answer.headers[.retryAfter] = CivilTime(secondsSince1970: now + Double(seconds)).httpDate
        case .milliseconds(let milliseconds): answer.headers[.retryAfterMilliseconds] = "\(milliseconds)"
        case .plainMilliseconds(let milliseconds): answer.headers[.plainRetryAfterMilliseconds] = "\(milliseconds)"
        case nil:
            // Whole seconds, and none too few: who waits as told gets through.
            if let waitSeconds { answer.headers[.retryAfter] = "\(Int(waitSeconds.rounded(.up)))" }
        }
        answer.trickleMilliseconds = trickleMilliseconds
        if closing == .midAnswer { answer.extent = .halfTheBody }
        if closing == .afterHead { answer.extent = .head }
        answer.resetsConnection = reset
        return answer
    }

    /// Sub-codes as in errors.json; the texts are ours.
    private func detail(of status: Int) -> String? {
        // With Retry-After a 403 is what older versions say for 429 (notification-hubs.md section 4).
        if case .beyond = moment, status == 403 { return Self.details[429] }
        if status == 403, retryAfter != nil { return Self.details[429] }
        return Self.details[status]
    }

    private static let details = [
        401: "InvalidSignature: The token has an invalid signature.",
        403: "The quota of the namespace's tier is exceeded.",
        404: "No service is hosted at the specified address.",
        429: "SubCode=42900. The request was throttled",
        500: "SubCode=50000. The server met an internal error",
        503: "SubCode=50004. The server is busy",
    ]
}
