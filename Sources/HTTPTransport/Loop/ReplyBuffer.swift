/// What has arrived of the reply to one request so far. Bounded: the server decides neither how much we read nor how
/// much we keep.
struct ReplyBuffer {
    /// Bytes of a body that are kept by default.
    static let bodyLimit = 65_536
    /// Bytes of all header lines together; with more, the transfer ends.
    static let headerLimit = 65_536
    /// Header lines that are kept.
    static let headerCount = 64

    private var lines: [UInt8] = []
    private var body: [UInt8] = []
    private let keptBody: Int

    /// - Parameter keptBody: bytes.
    init(keptBody: Int = ReplyBuffer.bodyLimit) { self.keptBody = keptBody }

    /// Takes one header line as libcurl delivers it.
    ///
    /// - Returns: false when the limit is exceeded.
    mutating func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        // A status line begins a reply. After "100 Continue" another one follows; only the last block is kept.
        if line.first == UInt8(ascii: "H"), line.starts(with: "HTTP/".utf8) {
            clearLines()
            return true
        }
        guard lines.count + line.count <= Self.headerLimit else { return false }
        lines.append(contentsOf: line)
        return true
    }

    /// Takes a field of HTTP/2, if there is room.
    mutating func takeField(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard lines.count + name.count + value.count + 2 <= Self.headerLimit else { return }
        lines.append(contentsOf: name)
        lines.append(UInt8(ascii: ":"))
        lines.append(contentsOf: value)
        lines.append(UInt8(ascii: "\n"))
    }

    mutating func clearLines() { lines.removeAll(keepingCapacity: true) }

    /// Takes a piece of the body, up to the limit.
    ///
    /// - Returns: false when bytes were dropped.
    mutating func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let room = keptBody - body.count
        body.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes.prefix(room)))
        return bytes.count <= room
    }

    /// Empties it for the next request; keeps the memory for header lines.
    mutating func clear() {
        clearLines()
        body = []
    }

    func response(status: Int) -> Reply.Response {
        Reply.Response(status: status, headers: headers(), body: body)
    }

    private func headers() -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        headers.reserveCapacity(8)
        lines.withUnsafeBytes { all in
            var start = 0
            while start < all.count, headers.count < Self.headerCount {
                var end = start
                var colon = -1
                while end < all.count, all[end] != UInt8(ascii: "\n") {
                    if colon < 0, all[end] == UInt8(ascii: ":") { colon = end }
                    end += 1
                }
                // The empty line at the end has no colon; a folded line (obsolete since RFC 7230) begins with a blank.
                if colon > start, !Self.isBlank(all[start]) {
                    headers.append((Self.lowerCased(all, start..<colon), Self.trimmed(all, colon + 1..<end)))
                }
                start = end + 1
            }
        }
        return headers
    }

    private static func lowerCased(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> String {
        String(unsafeUninitializedCapacity: range.count) { target in
            for index in 0..<range.count {
                let byte = bytes[range.lowerBound + index]
                let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
                // A header name is ASCII. A question mark keeps the text valid UTF-8.
                target[index] = isUpper ? byte | 0x20 : byte < 0x80 ? byte : UInt8(ascii: "?")
            }
            return range.count
        }
    }

    private static func trimmed(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> String {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, isBlank(bytes[start]) { start += 1 }
        while start < end, isBlank(bytes[end - 1]) { end -= 1 }
        return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
}
