import CLibcurl

/// The options set once on every handle (docs/wire/libcurl.md). For each request only URL, method, headers and body
/// change.
extension Slot {
    func configure(
        _ settings: TransportSettings, caBundle: String?, errorText: UnsafeMutablePointer<CChar>
    ) throws(TransportError) {
        let me = Unmanaged.passUnretained(self).toOpaque()
        try pointer(CURLOPT_PRIVATE, me)
        try pointer(CURLOPT_ERRORBUFFER, errorText)
        try long(CURLOPT_NOSIGNAL, 1)
        // libcurl allocates this anew for every request; a hub's answer has some 500 bytes. The default of 16 KB was
        // half of all bytes that a post allocated.
        try long(CURLOPT_BUFFERSIZE, 4_096)
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

        try configureTLS(settings, caBundle: caBundle)

        try long(CURLOPT_CONNECTTIMEOUT_MS, settings.connectTimeout.milliseconds)
        try long(CURLOPT_TIMEOUT_MS, settings.timeout.milliseconds)
        try long(CURLOPT_LOW_SPEED_LIMIT, 1)
        try long(CURLOPT_LOW_SPEED_TIME, Int(settings.stallTimeout.components.seconds))
        try long(CURLOPT_MAXAGE_CONN, Int(settings.idleLimit.components.seconds))
        try long(CURLOPT_MAXLIFETIME_CONN, Int(settings.connectionLifetime.components.seconds))
        try long(CURLOPT_TCP_NODELAY, 1)
        try long(CURLOPT_TCP_KEEPALIVE, 1)

        try configureCallbacks(me)
    }

    private func configureTLS(_ settings: TransportSettings, caBundle: String?) throws(TransportError) {
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

    private func configureCallbacks(_ me: UnsafeMutableRawPointer) throws(TransportError) {
        let header: fanfare_bytes_callback = { bytes, size, count, slot in
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return Slot.from(slot).incoming.takeHeader(line) ? line.count : 0
        }
        let body: fanfare_bytes_callback = { bytes, size, count, slot in
            let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return Slot.from(slot).incoming.takeBody(piece) ? piece.count : 0
        }
        try check(fanfare_set_bytes_callback(easy, CURLOPT_HEADERFUNCTION, header), CURLOPT_HEADERFUNCTION)
        try pointer(CURLOPT_HEADERDATA, me)
        try check(fanfare_set_bytes_callback(easy, CURLOPT_WRITEFUNCTION, body), CURLOPT_WRITEFUNCTION)
        try pointer(CURLOPT_WRITEDATA, me)

        let prereq: fanfare_prereq_callback = { slot, _, _, _, _ in
            Slot.from(slot).permitsSend() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        try check(fanfare_set_prereq(easy, prereq), CURLOPT_PREREQFUNCTION)
        try pointer(CURLOPT_PREREQDATA, me)

        let open: fanfare_open_callback = { slot, _, address in
            let slot = Slot.from(slot)
            guard let address, let target = slot.target else { return CURL_SOCKET_BAD }
            // The second check: whatever a name of this machine resolved to, plain text stays here.
            guard !target.staysHere || Loopback.isLoopback(address) else { return CURL_SOCKET_BAD }
            return slot.sockets.open(address, to: target)
        }
        try check(fanfare_set_open(easy, open), CURLOPT_OPENSOCKETFUNCTION)
        try pointer(CURLOPT_OPENSOCKETDATA, me)

        // A connection outlives the request that opened it, so the epoll set closes it, not a slot.
        let close: fanfare_close_callback = { sockets, fd in
            Unmanaged<EpollSet>.fromOpaque(sockets!).takeUnretainedValue().close(fd)
        }
        try check(fanfare_set_close(easy, close), CURLOPT_CLOSESOCKETFUNCTION)
        try pointer(CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(sockets).toOpaque())
    }

    static func from(_ pointer: UnsafeMutableRawPointer?) -> Slot {
        // Set above for every callback, so never nil; and a slot outlives its handle.
        Unmanaged<Slot>.fromOpaque(pointer!).takeUnretainedValue()
    }

    private func long(_ option: CURLoption, _ value: Int) throws(TransportError) {
        try check(fanfare_set_long(easy, option, value), option)
    }

    private func text(_ option: CURLoption, _ value: String?) throws(TransportError) {
        try check(fanfare_set_text(easy, option, value), option)
    }

    private func pointer(_ option: CURLoption, _ value: UnsafeRawPointer?) throws(TransportError) {
        try check(fanfare_set_pointer(easy, option, value), option)
    }

    private func check(_ code: CURLcode, _ option: CURLoption) throws(TransportError) {
        guard code != CURLE_OK else { return }
        throw TransportError(
            doing: "libcurl refuses option \(option.rawValue)", code: Int32(code.rawValue), text: LibCurl.text(code))
    }
}
