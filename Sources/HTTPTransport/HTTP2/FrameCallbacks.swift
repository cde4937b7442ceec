import CNghttp2

/// nghttp2's callbacks, each of which leads to a `FrameSession` or one of its streams.
enum FrameCallbacks {
    static let noMemory = TransportError(doing: "cannot make an HTTP/2 session", code: 0, text: "out of memory")

    static func text(_ code: Int32) -> String { String(cString: nghttp2_strerror(code)) }

    /// - Throws: when there is no memory.
    static func makeSession() throws(TransportError) -> OpaquePointer {
        var callbacks: OpaquePointer?
        var option: OpaquePointer?
        var session: OpaquePointer?
        guard nghttp2_session_callbacks_new(&callbacks) == 0, nghttp2_option_new(&option) == 0 else { throw noMemory }
        defer {
            nghttp2_session_callbacks_del(callbacks)
            nghttp2_option_del(option)
        }
        // It keeps closed streams for priorities, which we do not use.
        nghttp2_option_set_no_closed_streams(option, 1)
        set(callbacks)
        guard nghttp2_session_client_new2(&session, callbacks, nil, option) == 0, let session else { throw noMemory }
        return session
    }

    /// - Parameter owner: has to outlive the session.
    static func adopt(_ session: OpaquePointer, by owner: FrameSession) {
        nghttp2_session_set_user_data(session, Unmanaged.passUnretained(owner).toOpaque())
    }

    private static func set(_ callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_before_frame_send_callback(callbacks) { session, frame, owner in
            guard frame!.pointee.hd.type == UInt8(NGHTTP2_HEADERS.rawValue),
                let stream = FrameCallbacks.stream(frame!.pointee.hd.stream_id, of: session)
            else { return 0 }
            FrameCallbacks.owner(owner).headersAreMade(for: stream)
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            session, frame, name, nameCount, value, valueCount, _, _ in
            guard let stream = FrameCallbacks.stream(frame!.pointee.hd.stream_id, of: session) else { return 0 }
            stream.takeHeader(
                UnsafeRawBufferPointer(start: name, count: nameCount),
                UnsafeRawBufferPointer(start: value, count: valueCount))
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { session, _, id, bytes, count, owner in
            guard let stream = FrameCallbacks.stream(id, of: session) else { return 0 }
            if !stream.incoming.takeBody(UnsafeRawBufferPointer(start: bytes, count: count)) {
                FrameCallbacks.owner(owner).hasEnough(stream)
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { session, id, code, owner in
            FrameCallbacks.owner(owner).streamClosed(FrameCallbacks.stream(id, of: session), code)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { session, frame, owner in
            let frame = frame!
            if let stream = FrameCallbacks.stream(frame.pointee.hd.stream_id, of: session) {
                FrameCallbacks.received(frame, for: stream, FrameCallbacks.owner(owner))
            } else {
                FrameCallbacks.received(frame, FrameCallbacks.owner(owner))
            }
            return 0
        }
    }

    private static func received(
        _ frame: UnsafePointer<nghttp2_frame>, for stream: HTTP2Stream, _ owner: FrameSession
    ) {
        let type = UInt32(frame.pointee.hd.type)
        if type == NGHTTP2_HEADERS.rawValue { owner.headersCame(for: stream) }
        guard type == NGHTTP2_HEADERS.rawValue || type == NGHTTP2_DATA.rawValue,
            frame.pointee.hd.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        else { return }
        owner.answerEnded(for: stream)
    }

    /// About the connection, not about one of its streams.
    private static func received(_ frame: UnsafePointer<nghttp2_frame>, _ owner: FrameSession) {
        let isAnswer = frame.pointee.hd.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
        switch UInt32(frame.pointee.hd.type) {
        case NGHTTP2_SETTINGS.rawValue where !isAnswer: owner.settingsCame()
        case NGHTTP2_PING.rawValue where isAnswer: owner.pingWasAnswered()
        case NGHTTP2_GOAWAY.rawValue:
            let goAway = frame.pointee.goaway
            owner.goAwayCame(
                goAway.error_code, UnsafeRawBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len))
        default: break
        }
    }

    static let readBody: nghttp2_data_source_read_callback = { session, id, buffer, size, flags, _, _ in
        guard let stream = FrameCallbacks.stream(id, of: session) else {
            return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
        }
        let (count, isLast) = stream.takeBody(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
        if isLast { flags!.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        return count
    }

    private static func owner(_ pointer: UnsafeMutableRawPointer?) -> FrameSession {
        // Set by `adopt` before a frame is made or read.
        Unmanaged<FrameSession>.fromOpaque(pointer!).takeUnretainedValue()
    }

    /// - Returns: nil for stream 0, and for one that was given up.
    private static func stream(_ id: Int32, of session: OpaquePointer?) -> HTTP2Stream? {
        nghttp2_session_get_stream_user_data(session, id).map {
            Unmanaged<HTTP2Stream>.fromOpaque($0).takeUnretainedValue()
        }
    }
}
