import CLibcurl
import CNghttp2

/// Why requests of an HTTP/2 connection had no answer, in words for operators.
enum ConnectionFault {
    static let framing = Int32(CURLE_HTTP2.rawValue)

    /// The server closed a stream.
    ///
    /// - Parameter goAway: what its GOAWAY said; nil: none came.
    static func closed(by code: UInt32, _ goAway: String?) -> Reply.Fault {
        let words =
            if code == StreamEnding.refusedStream, let goAway {
                "\(goAway), without processing this request"
            } else {
                "the server closed the stream with \(name(of: code))"
            }
        return Reply.Fault(code: Int32(CURLE_HTTP2_STREAM.rawValue), text: words)
    }

    static func goAway(_ code: UInt32, _ reason: UnsafeRawBufferPointer) -> String {
        let words = visible(reason)
        return "the server ended the connection with \(name(of: code))" + (words.isEmpty ? "" : " (\(words))")
    }

    static func timeout(_ stream: HTTP2Stream, at now: LoopTime) -> Reply.Fault {
        let milliseconds = Int((now.monotonic &- stream.startedAt) / 1_000_000)
        return Reply.Fault(
            code: Int32(CURLE_OPERATION_TIMEDOUT.rawValue), text: "no answer after \(milliseconds) ms")
    }

    /// Of a connection whose state is dead.
    static func dead(_ state: ConnectionState) -> Reply.Fault {
        if !state.isGreeted { return notGreeted }
        return state.isShut && !state.isPinged && state.inFlight == 0 ? shut : silent
    }

    private static let shut = Reply.Fault(
        code: Int32(CURLE_OPERATION_TIMEDOUT.rawValue),
        text: "the server allows no requests (MAX_CONCURRENT_STREAMS is 0)")
    private static let silent = Reply.Fault(
        code: Int32(CURLE_OPERATION_TIMEDOUT.rawValue),
        text: "the server fell silent: it answers no PING, or reads nothing")
    private static let notGreeted = Reply.Fault(
        code: Int32(CURLE_OPERATION_TIMEDOUT.rawValue), text: "the server accepted the connection and sent no SETTINGS")
    static let closedByServer = Reply.Fault(
        code: Int32(CURLE_RECV_ERROR.rawValue), text: "the server closed the connection")
    static let anotherProtocol = Reply.Fault(
        code: Int32(CURLE_HTTP2.rawValue),
        text: "the server does not speak HTTP/2: it did not choose h2 in the TLS handshake")

    static let anotherIdentity = Reply.Fault(
        code: Int32(CURLE_BAD_FUNCTION_ARGUMENT.rawValue),
        text: "two client certificates have the same credential and generation")

    /// REFUSED_STREAM and the like.
    private static func name(of code: UInt32) -> String { String(cString: nghttp2_http2_strerror(code)) }

    /// One line of visible characters: the text is the server's.
    private static func visible(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes.prefix(200).map { $0 >= 0x20 && $0 < 0x7F ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}
