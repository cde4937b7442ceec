/// The body of a batch direct send: one payload and its handles, as `multipart/mixed` with CRLF line ends
/// (docs/wire/notification-hubs.md, "Sends").
struct DirectBatch {
    /// Does not occur in either part.
    let boundary: String
    let bytes: [UInt8]

    /// As the .NET and Java SDKs.
    static let usualBoundary = "nh-batch-multipart-boundary"

    /// - Parameters:
    ///   - contentType: of the payload.
    ///   - handles: 1 to 1,000, visible ASCII.
    init(_ payload: [UInt8], contentType: String, handles: [String]) {
        let devices = DirectBatch.array(of: handles)
        boundary = DirectBatch.boundary(outside: [payload, devices])
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count + devices.count + 512)
        for (name, type, content) in [
            ("notification", contentType, payload), ("devices", "application/json", devices),
        ] {
            bytes += "--\(boundary)\r\nContent-Type: \(type)\r\n".utf8
            bytes += "Content-Disposition: inline; name=\(name)\r\n\r\n".utf8
            bytes += content
            bytes += "\r\n".utf8
        }
        bytes += "--\(boundary)--\r\n".utf8
        self.bytes = bytes
    }

    /// The usual boundary, or the first numbered one that is in none of the parts. One always exists: a part of n bytes
    /// holds fewer than n of them.
    private static func boundary(outside parts: [[UInt8]]) -> String {
        guard parts.contains(where: { holds($0, usualBoundary) }) else { return usualBoundary }
        var number = 1
        while parts.contains(where: { holds($0, "\(usualBoundary)-\(number)-") }) { number += 1 }
        return "\(usualBoundary)-\(number)-"
    }

    private static func holds(_ part: [UInt8], _ word: String) -> Bool {
        part.withUnsafeBytes { part in
            Array(word.utf8).withUnsafeBytes { word in
                guard part.count >= word.count else { return false }
                return (0...part.count - word.count).contains { start in
                    part[start] == word[0] && part[start..<start + word.count].elementsEqual(word)
                }
            }
        }
    }

    /// A JSON array. A handle is visible ASCII, so only two characters need an escape.
    private static func array(of handles: [String]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(handles.reduce(2) { $0 + $1.utf8.count + 3 })
        bytes.append(UInt8(ascii: "["))
        for (index, handle) in handles.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(UInt8(ascii: "\""))
            for byte in handle.utf8 {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
                bytes.append(byte)
            }
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: "]"))
        return bytes
    }
}
