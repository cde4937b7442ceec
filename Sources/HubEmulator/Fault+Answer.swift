import HTTPTypes

extension Fault {
    /// Whether the hub's own answer is not what the client sees. A delay alone leaves it as it is.
    var replacesAnswer: Bool { status != nil || closing != nil }

    /// - Throws: `CancellationError` when the emulator is stopped meanwhile.
    func wait() async throws {
        if delayMilliseconds > 0 { try await Task.sleep(for: .milliseconds(delayMilliseconds)) }
    }

    /// nil: nothing is answered.
    func answer(now: Double) -> Answer? {
        guard let status else { return nil }
        let tracking = Identifier.tracking()
        var answer: Answer
        if html {
            let page = "<html><head><title>\(status)</title></head><body><h1>\(status)</h1></body></html>"
            answer = Answer(status: status, headers: [.contentType: "text/html"], body: Array(page.utf8))
        } else if status < 300 {
            answer = .xml(status)
            answer.headers[.trackingID] = tracking
        } else {
            let refusal = ServiceError(
                status: status, detail: Self.details[status] ?? "The fault script says \(status).")
            answer = .refusal(refusal, tracking: tracking, at: CivilTime(secondsSince1970: now))
        }
        switch retryAfter {
        case .seconds(let seconds): answer.headers[.retryAfter] = "\(seconds)"
        case .date(let seconds):
            answer.headers[.retryAfter] = CivilTime(secondsSince1970: now + Double(seconds)).httpDate
        case .milliseconds(let milliseconds): answer.headers[.retryAfterMilliseconds] = "\(milliseconds)"
        case nil: break
        }
        answer.trickleMilliseconds = trickleMilliseconds
        answer.isCutShort = closing == .midAnswer
        answer.resetsConnection = reset
        return answer
    }

    /// Sub-codes as in errors.json; the texts are ours.
    private static let details = [
        401: "InvalidSignature: The token has an invalid signature.",
        404: "No service is hosted at the specified address.",
        429: "SubCode=42900. The request was throttled",
        500: "SubCode=50000. The server met an internal error",
        503: "SubCode=50004. The server is busy",
    ]
}
