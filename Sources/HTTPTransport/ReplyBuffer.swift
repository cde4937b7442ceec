/// What has come back for one request so far. Bounded: a server decides neither how much we read nor how much we keep.
struct ReplyBuffer {
    /// Bytes of a body that are kept.
    static let bodyLimit = 65_536
    /// Bytes of all header lines together; beyond, the transfer ends.
    static let headerLimit = 65_536
    /// Header lines that are kept.
    static let headerCount = 64

    private var lines: [UInt8] = []
    private var body: [UInt8] = []

    /// Takes one header line as libcurl hands it over.
    ///
    /// - Returns: false when there have been too many bytes.
    mutating func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        // A status line begins a reply. After "100 Continue" there is another one, and only the last block is kept.
        if line.starts(with: "HTTP/".utf8) {
            lines.removeAll(keepingCapacity: true)
            return true
        }
        guard lines.count + line.count <= Self.headerLimit else { return false }
        lines.append(contentsOf: line)
        return true
    }

    /// Takes a piece of the body, up to the limit.
    ///
    /// - Returns: false when there was more than is kept.
    mutating func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let room = Self.bodyLimit - body.count
        body.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes.prefix(room)))
        return bytes.count <= room
    }

    /// Ready for the next request; keeps the memory for header lines.
    mutating func clear() {
        lines.removeAll(keepingCapacity: true)
        body = []
    }

    func response(status: Int) -> Reply.Response {
        Reply.Response(status: status, headers: headers(), body: body)
    }

    private func headers() -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        headers.reserveCapacity(8)
        lines.withUnsafeBytes { all in
            var rest = all[...]
            while !rest.isEmpty, headers.count < Self.headerCount {
                let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
                let line = rest[rest.startIndex..<end]
                rest = rest[end...].dropFirst()
                // The empty line at the end has no colon; a folded line (obsolete since RFC 7230) begins with a blank.
                guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                    !Self.isBlank(line[line.startIndex])
                else { continue }
                headers.append((Self.lowerCased(line[..<colon]), Self.trimmed(line[line.index(after: colon)...])))
            }
        }
        return headers
    }

    private static func lowerCased(_ name: Slice<UnsafeRawBufferPointer>) -> String {
        String(unsafeUninitializedCapacity: name.count) { target in
            var count = 0
            for byte in name {
                // Not ASCII: no header name. A question mark keeps the text valid.
                let ascii = byte < 0x80 ? byte : UInt8(ascii: "?")
                let isUpper = ascii >= UInt8(ascii: "A") && ascii <= UInt8(ascii: "Z")
                target[count] = isUpper ? ascii | 0x20 : ascii
                count += 1
            }
            return count
        }
    }

    private static func trimmed(_ value: Slice<UnsafeRawBufferPointer>) -> String {
        var value = value
        while let first = value.first, isBlank(first) { value = value.dropFirst() }
        while let last = value.last, isBlank(last) { value = value.dropLast() }
        return String(decoding: value, as: UTF8.self)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
}
