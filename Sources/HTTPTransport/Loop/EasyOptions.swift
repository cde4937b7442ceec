import CLibcurl

/// Sets options of one easy handle: those that decide where it may go and whom it trusts are the same for a request and for a
/// connection that carries HTTP/2.
struct EasyOptions {
    let easy: UnsafeMutableRawPointer

    /// - Throws: when this libcurl does not know an option.
    func reach(_ settings: TransportSettings, caBundle: String?) throws(TransportError) {
        try long(CURLOPT_NOSIGNAL, 1)
        // Otherwise a request that times out during its name lookup would block the loop until the resolver thread
        // ends.
        try long(CURLOPT_QUICK_EXIT, 1)

        // Where it may go. `KnownURLs` has refused http:// to other machines, unless settings allow it.
        let allowsPlain = settings.allowPlainHTTPOnLoopback || settings.allowPlainHTTPAnywhere
        try text(CURLOPT_PROTOCOLS_STR, allowsPlain ? "https,http" : "https")
        try text(CURLOPT_REDIR_PROTOCOLS_STR, "https")  // no redirect is followed anyway
        try long(CURLOPT_FOLLOWLOCATION, 0)
        try long(CURLOPT_UNRESTRICTED_AUTH, 0)
        try long(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        try text(CURLOPT_PROXY, settings.proxy ?? "")  // "" also disables proxies of the environment
        // Never nil, or the environment would count. Empty without a proxy: libcurl reads the list for every request.
        try text(CURLOPT_NOPROXY, settings.proxy == nil ? "" : "localhost,127.0.0.0/8,::1")
        try long(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        try long(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        try long(CURLOPT_HTTP09_ALLOWED, 0)
        if let userAgent = settings.userAgent { try text(CURLOPT_USERAGENT, userAgent) }

        try trust(settings, caBundle: caBundle)

        try long(CURLOPT_CONNECTTIMEOUT_MS, settings.connectTimeout.milliseconds)
        try long(CURLOPT_TCP_NODELAY, 1)
        try long(CURLOPT_TCP_KEEPALIVE, 1)
    }

    private func trust(_ settings: TransportSettings, caBundle: String?) throws(TransportError) {
        try long(CURLOPT_SSL_VERIFYPEER, 1)
        try long(CURLOPT_SSL_VERIFYHOST, 2)
        try long(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let caBundle {
            try text(CURLOPT_CAINFO, caBundle)
            try text(CURLOPT_PROXY_CAINFO, caBundle)
        }
        // libcurl caches the parsed bundle only when no directory is set, and Debian builds one in: that costs 17 ms of
        // CPU for every new connection instead of 0.7.
        if settings.clearsCAPath {
            try text(CURLOPT_CAPATH, nil)
            try text(CURLOPT_PROXY_CAPATH, nil)
        }
    }

    /// What it shows to a server that asks for a certificate.
    func show(_ identity: any ClientIdentity) throws(TransportError) {
        try blob(CURLOPT_SSLCERT_BLOB, identity.certificate)
        let (key, password) = identity.revealKey()
        try blob(CURLOPT_SSLKEY_BLOB, key)
        // Never nil: OpenSSL would ask for the password of an encrypted key at the terminal, and the loop would wait for it.
        try text(CURLOPT_KEYPASSWD, password ?? "")
    }

    /// Where its sockets come from. The handle borrows `opening`, which must outlive it.
    func sockets(_ opening: SocketOpening) throws(TransportError) {
        let open: fanfare_open_callback = { opening, _, address in
            let opening = Unmanaged<SocketOpening>.fromOpaque(opening!).takeUnretainedValue()
            guard let address else { return CURL_SOCKET_BAD }
            return opening.open(address)
        }
        try check(fanfare_set_open(easy, open), CURLOPT_OPENSOCKETFUNCTION)
        try pointer(CURLOPT_OPENSOCKETDATA, Unmanaged.passUnretained(opening).toOpaque())

        // A connection outlives the request that opened it, so the epoll set closes it, not a slot.
        let close: fanfare_close_callback = { sockets, fd in
            Unmanaged<EpollSet>.fromOpaque(sockets!).takeUnretainedValue().close(fd)
        }
        try check(fanfare_set_close(easy, close), CURLOPT_CLOSESOCKETFUNCTION)
        try pointer(CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(opening.sockets).toOpaque())
    }

    func long(_ option: CURLoption, _ value: Int) throws(TransportError) {
        try check(fanfare_set_long(easy, option, value), option)
    }

    func text(_ option: CURLoption, _ value: String?) throws(TransportError) {
        try check(fanfare_set_text(easy, option, value), option)
    }

    private func blob(_ option: CURLoption, _ value: String) throws(TransportError) {
        var value = value
        try check(value.withUTF8 { fanfare_set_blob(easy, option, $0.baseAddress, $0.count) }, option)
    }

    func pointer(_ option: CURLoption, _ value: UnsafeRawPointer?) throws(TransportError) {
        try check(fanfare_set_pointer(easy, option, value), option)
    }

    func check(_ code: CURLcode, _ option: CURLoption) throws(TransportError) {
        guard code != CURLE_OK else { return }
        throw TransportError(
            doing: "libcurl refuses option \(option.rawValue)", code: Int32(code.rawValue), text: LibCurl.text(code))
    }
}

/// Opens the sockets of one easy handle, for the origin that it goes to now. Confined to the loop thread.
final class SocketOpening {
    let sockets: EpollSet
    /// nil: no socket is opened.
    var target: RequestURL?

    init(_ sockets: EpollSet) { self.sockets = sockets }

    fileprivate func open(_ address: UnsafePointer<curl_sockaddr>) -> curl_socket_t {
        guard let target else { return CURL_SOCKET_BAD }
        // The second check: whatever a name of this machine resolved to, plain text stays here.
        guard !target.staysHere || Loopback.isLoopback(address) else { return CURL_SOCKET_BAD }
        return sockets.open(address, to: target)
    }
}
