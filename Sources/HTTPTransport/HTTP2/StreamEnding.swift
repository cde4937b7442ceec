/// How a request over HTTP/2 ended, and so whether its server may have processed it. Pure.
struct StreamEnding: Equatable {
    /// Why the stream ended.
    enum Cause: Equatable {
        /// The server closed it, with this error code of RFC 9113 section 7. Also when a GOAWAY left it out: nghttp2 closes
        /// those streams with REFUSED_STREAM.
        case closed(UInt32)
        /// We gave it up: its time was over, or its caller stopped waiting.
        case cancelled
        /// Its connection ended.
        case connectionLost
    }

    var cause: Cause
    /// The final status; 0: none came.
    var status: Int
    /// How far its header block has come.
    var headers: Headers

    enum Headers: Equatable {
        /// Its frame is not made. It never will be, once the stream has ended.
        case waiting
        /// Its frame is among the bytes that leave next. As long as the connection lives they do leave.
        case collected
        /// At least one byte of it was handed to the connection.
        case handedOver
    }

    /// REFUSED_STREAM of RFC 9113 section 7.
    static let refusedStream: UInt32 = 7

    /// The rule of outcomes (docs/wire/libcurl.md, "What the transport makes of it").
    ///
    /// A server that refuses a stream, or leaves it out of its GOAWAY, has not processed it (RFC 9113, 6.8 and 8.7). What was
    /// never handed to the connection was not read either. All else may have been read.
    var outcome: TransferOutcome.Class {
        if status >= 200 { return .answered }
        switch (cause, headers) {
        case (.closed(Self.refusedStream), _), (_, .waiting), (.connectionLost, .collected): return .notSent
        case (.closed, _), (.cancelled, _), (.connectionLost, .handedOver): return .unknown
        }
    }
}
