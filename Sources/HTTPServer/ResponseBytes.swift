import HTTPTypes
import NIOCore
import NIOHTTP1

/// Responses in the form they have on the wire (RFC 9112).
enum ResponseBytes {
    enum Framing {
        case length(Int)
        case chunked
        /// Neither: the response has no body, or the body ends with the connection.
        case none
    }

    static func writeHead(of response: Response, _ framing: Framing, closes: Bool, to buffer: inout ByteBuffer) {
        let status = HTTPResponseStatus(statusCode: response.status)
        buffer.writeString("HTTP/1.1 ")
        buffer.writeString("\(response.status) ")
        buffer.writeString(status.reasonPhrase)
        buffer.writeString("\r\n")
        for field in response.headers { write(field.name.rawName, field.value, to: &buffer) }
        switch framing {
        case .length(let count): write("Content-Length", "\(count)", to: &buffer)
        case .chunked: write("Transfer-Encoding", "chunked", to: &buffer)
        case .none: break
        }
        if closes { write("Connection", "close", to: &buffer) }
        buffer.writeString("\r\n")
    }

    static func writeChunk(_ bytes: [UInt8], to buffer: inout ByteBuffer) {
        guard !bytes.isEmpty else { return }  // an empty chunk is the last one
        buffer.writeString(String(bytes.count, radix: 16))
        buffer.writeString("\r\n")
        buffer.writeBytes(bytes)
        buffer.writeString("\r\n")
    }

    static let lastChunk = "0\r\n\r\n"
    static let continueLine = "HTTP/1.1 100 Continue\r\n\r\n"

    private static func write(_ name: String, _ value: String, to buffer: inout ByteBuffer) {
        buffer.writeString(name)
        buffer.writeString(": ")
        buffer.writeString(value)
        buffer.writeString("\r\n")
    }
}
