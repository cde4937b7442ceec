import HTTPServer
import NIOCore
import NIOHTTP2

extension HTTP2Framing {
    /// The frames of NIOHTTP2, which also bounds what a client may do to them: empty frames, resets, pings.
    static let nio = HTTP2Framing { connection, addRequest in
        var configuration = NIOHTTP2Handler.Configuration()
        configuration.connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: 100),
            // As for HTTP/1.1.
            HTTP2Setting(parameter: .maxHeaderListSize, value: 65_536),
        ]
        let framing = NIOHTTP2Handler(
            mode: .server, eventLoop: connection.eventLoop, connectionConfiguration: configuration.connection,
            streamConfiguration: configuration.stream
        ) { request in
            request.eventLoop.makeCompletedFuture {
                try request.pipeline.syncOperations.addHandler(HTTP2FramePayloadToHTTP1ServerCodec())
                try addRequest(request)
            }
        }
        try connection.pipeline.syncOperations.addHandler(framing)
    }
}
