import PushModel

/// A send to APNs that passed all checks of its headers and its payload.
struct APNsSend: Sendable {
    let headers: APNsHeaders
    /// In lower case.
    let handle: String
    let payload: PayloadCache.Payload

    /// - Parameters:
    ///   - handle: as in the path.
    ///   - body: nil: too large to be read.
    ///   - app: the topic of the sender.
    /// - Throws: the first rule that is broken, in Apple's words; Apple documents no order.
    init(
        _ request: EmulatorRequest, handle: String?, _ body: [UInt8]?, app: String
    ) throws(APNsError) {
        headers = try APNsHeaders(
            request.headers, ofCertificate: request.connection?.clientName == nil ? nil : app)
        try headers.checkTopic(of: app)
        guard let handle, !handle.isEmpty else { throw .missingDeviceToken }
        guard AppleHandle.isValid(handle) else { throw .badDeviceToken }
        self.handle = handle.lowercased()
        guard let body, body.count <= (headers.pushType ?? .alert).payloadLimit else { throw .payloadTooLarge }
        // What APNs answers for a body that is no JSON object is not documented.
        guard let root = try? JSONNode(body), case .object(let members) = root.value, !members.isEmpty else {
            throw .payloadEmpty
        }
        var payload = PayloadCache.Payload(body)
        payload.headers = request.platformHeaders
        self.payload = payload
    }
}
