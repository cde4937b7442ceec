import CLibcurl

/// The options set once on every handle (docs/wire/libcurl.md). For each request only URL, method, headers and body
/// change.
extension Slot {
    func configure(
        _ settings: TransportSettings, caBundle: String?, errorText: UnsafeMutablePointer<CChar>
    ) throws(TransportError) {
        let me = Unmanaged.passUnretained(self).toOpaque()
        let options = EasyOptions(easy: easy)
        try options.pointer(CURLOPT_PRIVATE, me)
        try options.pointer(CURLOPT_ERRORBUFFER, errorText)
        // libcurl allocates this anew for every request; a hub's answer has some 500 bytes. The default of 16 KB was
        // half of all bytes that a post allocated.
        try options.long(CURLOPT_BUFFERSIZE, 4_096)
        try options.reach(settings, caBundle: caBundle)
        try options.long(CURLOPT_TIMEOUT_MS, settings.timeout.milliseconds)
        try options.long(CURLOPT_LOW_SPEED_LIMIT, 1)
        try options.long(CURLOPT_LOW_SPEED_TIME, Int(settings.stallTimeout.components.seconds))
        try options.long(CURLOPT_MAXAGE_CONN, Int(settings.idleLimit.components.seconds))
        try options.long(CURLOPT_MAXLIFETIME_CONN, Int(settings.connectionLifetime.components.seconds))
        try configureCallbacks(options, me)
        try options.sockets(opening)
    }

    private func configureCallbacks(_ options: EasyOptions, _ me: UnsafeMutableRawPointer) throws(TransportError) {
        let header: fanfare_bytes_callback = { bytes, size, count, slot in
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return Slot.from(slot).incoming.takeHeader(line) ? line.count : 0
        }
        let body: fanfare_bytes_callback = { bytes, size, count, slot in
            let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return Slot.from(slot).incoming.takeBody(piece) ? piece.count : 0
        }
        try options.check(fanfare_set_bytes_callback(easy, CURLOPT_HEADERFUNCTION, header), CURLOPT_HEADERFUNCTION)
        try options.pointer(CURLOPT_HEADERDATA, me)
        try options.check(fanfare_set_bytes_callback(easy, CURLOPT_WRITEFUNCTION, body), CURLOPT_WRITEFUNCTION)
        try options.pointer(CURLOPT_WRITEDATA, me)

        let prereq: fanfare_prereq_callback = { slot, _, _, _, _ in
            Slot.from(slot).permitsSend() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        try options.check(fanfare_set_prereq(easy, prereq), CURLOPT_PREREQFUNCTION)
        try options.pointer(CURLOPT_PREREQDATA, me)
    }

    static func from(_ pointer: UnsafeMutableRawPointer?) -> Slot {
        // Set above for every callback, so never nil; and a slot outlives its handle.
        Unmanaged<Slot>.fromOpaque(pointer!).takeUnretainedValue()
    }
}
