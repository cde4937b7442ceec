import HTTPServer
import HTTPTypes

// Requests to APNs: the same faults as for a notification hub.
extension Router {
    func receive(_ operation: APNsOperation, _ request: EmulatorRequest) -> RequestPlan {
        if let connection = request.connection, !connection.isHTTP2 {
            return .withoutBody(.answer(withCommonHeaders(Self.onlyHTTP2)))
        }
        let hub = apns.hub(of: request)?.name ?? ""
        var request = request
        let strike = faults.strike(.apns, .all, isSend: true, tags: nil, hub: hub, now: now())
        request.faultEffects = strike.effects
        // What a fault says about streams outlasts the first good token.
        if strike.effects.streams != nil { _ = request.connection?.kept { APNsConnection() }.trust() }
        request.obeyFaults()
        if strike.effects.endsToken { apns.endToken(of: request) }
        let entry = apns.entry(operation, request, fault: strike.number)
        if let fault = strike.fault, fault.closing == .beforeBody {
            apns.journal.record(entry)
            return .withoutBody(.hangUp(isReset: fault.reset, delayMilliseconds: strike.delayMilliseconds))
        }
        return .body(limit: APNsOperation.bodyLimit) { [self, request] content in
            if let fault = strike.fault, fault.replacesAnswer {
                return respond(with: fault, strike, operation, request, content, entry)
            }
            var response = apns.answer(operation, request, content, entry)
            response.delayMilliseconds = strike.delayMilliseconds
            return .answer(response)
        }
    }

    private func respond(
        with fault: Fault, _ strike: FaultScript.Strike, _ operation: APNsOperation, _ request: EmulatorRequest,
        _ content: UploadedBody, _ entry: JournalEntry
    ) -> ResponsePlan {
        let response = apns.recordFault(
            operation, request, content, entry,
            response: fault.response(
                now: now() + request.faultEffects.skewSeconds, waitSeconds: strike.waitSeconds, form: .apns),
            reason: fault.errorCode, isTaken: fault.taken)
        guard var response else {
            return fault.silence(delayMilliseconds: strike.delayMilliseconds)
        }
        response.delayMilliseconds = strike.delayMilliseconds
        return .answer(response)
    }

    /// Apple's servers do not speak HTTP/1.1; the answer is ours.
    private static let onlyHTTP2 = Response(
        status: 505, headers: [.contentType: "text/plain; charset=utf-8"],
        body: Array("APNs speaks HTTP/2 over TLS alone: use the port for TLS, with ALPN h2.\n".utf8))
}
