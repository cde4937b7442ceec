import HTTPServer

extension Fault {
    /// The codes of RST_STREAM (RFC 9113 section 7), by their names.
    public enum StreamCode: String, Sendable, Codable, CaseIterable {
        case noError = "NO_ERROR"
        case protocolError = "PROTOCOL_ERROR"
        case internalError = "INTERNAL_ERROR"
        case flowControlError = "FLOW_CONTROL_ERROR"
        case settingsTimeout = "SETTINGS_TIMEOUT"
        case streamClosed = "STREAM_CLOSED"
        case frameSizeError = "FRAME_SIZE_ERROR"
        case refusedStream = "REFUSED_STREAM"
        case cancel = "CANCEL"
        case compressionError = "COMPRESSION_ERROR"
        case connectError = "CONNECT_ERROR"
        case enhanceYourCalm = "ENHANCE_YOUR_CALM"
        case inadequateSecurity = "INADEQUATE_SECURITY"
        case http11Required = "HTTP_1_1_REQUIRED"

        /// The RFC numbers them in this order, from 0.
        var number: UInt32 { UInt32(Self.allCases.firstIndex(of: self) ?? 0) }
    }

    /// What takes the place of a response that is not sent.
    func silence(delayMilliseconds: Int) -> ResponsePlan {
        switch closing {
        case .never: .silence
        case .stream:
            .resetStream(code: (streamCode ?? .cancel).number, delayMilliseconds: delayMilliseconds)
        default: .hangUp(isReset: reset, delayMilliseconds: delayMilliseconds)
        }
    }
}

extension EmulatorRequest {
    /// Does to the connection what the faults say.
    func obeyFaults() {
        if let streams = faultEffects.streams { connection?.limitStreams(to: streams) }
        if faultEffects.ignoresPings { connection?.ignorePings() }
        if let reason = faultEffects.goAway { connection?.goAway(reason: reason) }
    }
}
