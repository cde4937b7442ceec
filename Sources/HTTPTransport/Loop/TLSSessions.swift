import CLibcurl

/// TLS sessions that a server gave to connections, for further ones to resume: such a handshake has no certificates.
///
/// Never of two client certificates, for a server takes the one of the session for the client's. Confined to the loop thread, so
/// libcurl needs no locks for it.
final class TLSSessions {
    private let raw: UnsafeMutableRawPointer
    /// Whether there may be one. libcurl does not say.
    private(set) var isFilled = false

    /// - Throws: when there is no memory, or this libcurl knows no sessions.
    init() throws(TransportError) {
        guard let share = curl_share_init() else {
            throw TransportError(doing: "cannot make a curl share handle", code: 0, text: "out of memory")
        }
        raw = UnsafeMutableRawPointer(share)
        let code = fanfare_share_sessions(raw)
        guard code == CURLSHE_OK else {
            throw TransportError(
                doing: "cannot set up the curl share handle", code: Int32(code.rawValue),
                text: String(cString: curl_share_strerror(code)))
        }
    }

    deinit { curl_share_cleanup(raw) }

    /// The handle borrows this object, which must outlive it.
    func lend(to options: EasyOptions) throws(TransportError) { try options.pointer(CURLOPT_SHARE, raw) }

    /// A handle has made a connection.
    func fill() { isFilled = true }
}
