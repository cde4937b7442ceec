import HTTPTypes

extension Fault {
    /// The response that replaces the hub's own. nil: nothing is sent.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970, by the clock that dates the response.
    ///   - waitSeconds: until a rate limit allows the next request. nil: no limit was hit.
    ///   - form: whose errors it resembles.
    func response(now: Double, waitSeconds: Double? = nil, form: ErrorForm = .hub) -> Response? {
        guard let status else { return nil }
        let tracking = FakeIDs.tracking()
        var response: Response
        if html {
            let page = "<html><head><title>\(status)</title></head><body><h1>\(status)</h1></body></html>"
            response = Response(status: status, headers: [.contentType: "text/html"], body: Array(page.utf8))
        } else if form != .hub {
            response = otherResponse(status, form, now: now)
        } else if status < 300 {
            response = .xml(status)
            response.headers[.trackingID] = tracking
        } else {
            let refusal = ServiceError(
                status: status, detail: detail(of: status) ?? "The fault script says \(status).")
            response = .refusal(refusal, tracking: tracking, at: CivilTime(secondsSince1970: now))
        }
        switch retryAfter {
        case .seconds(let seconds): response.headers[.retryAfter] = "\(seconds)"
        case .date(let seconds):
            response.headers[.retryAfter] = CivilTime(secondsSince1970: now + Double(seconds)).httpDate
        case .milliseconds(let milliseconds): response.headers[.retryAfterMilliseconds] = "\(milliseconds)"
        case .plainMilliseconds(let milliseconds): response.headers[.plainRetryAfterMilliseconds] = "\(milliseconds)"
        case nil:
            // Rounded up, so that a client that waits this long gets through.
            if let waitSeconds { response.headers[.retryAfter] = "\(Int(waitSeconds.rounded(.up)))" }
        }
        response.trickleMilliseconds = trickleMilliseconds
        if closing == .midAnswer { response.extent = .halfTheBody }
        if closing == .afterHead { response.extent = .head }
        response.resetsConnection = reset
        return response
    }

    /// Whose form a response has.
    enum ErrorForm { case hub, fcm, grant, apns }

    private func otherResponse(_ status: Int, _ form: ErrorForm, now: Double) -> Response {
        if form == .apns {
            guard status >= 300, let reason = errorCode ?? APNsError.usualReason(of: status) else {
                return Response(status: status)
            }
            return APNsError(status, reason, since: status == 410 ? now : nil).response(id: nil)
        }
        if status < 300 { return FCMJSON.response([:], status: status) }
        switch form {
        case .grant:
            let word = errorCode ?? (status < 500 ? "invalid_grant" : "internal_failure")
            return FCMJSON.response(
                ["error": word, "error_description": "The fault script says \(status)."], status: status)
        case .hub, .fcm, .apns:
            let known = [429: "QUOTA_EXCEEDED", 500: "INTERNAL", 503: "UNAVAILABLE"][status]
            return FCMError(status: status, message: "The fault script says \(status).", code: errorCode ?? known)
                .response
        }
    }

    /// Sub-codes as in docs/wire/notification-hubs.md, "Status codes"; the texts are ours.
    private func detail(of status: Int) -> String? {
        // A 403 with Retry-After is what older versions send for 429 (docs/wire/notification-hubs.md, "Status codes").
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
