import Foundation

/// A multipart body (RFC 2046 section 5.1), parsed strictly, so that a sender learns of wrong line ends.
struct MultipartBody: Sendable {
    struct Part: Sendable {
        /// By name in lower case.
        let headers: [String: String]
        let content: [UInt8]
    }

    /// The broken rule, as a whole sentence.
    struct Fault: Error, Equatable {
        let text: String
    }

    let parts: [Part]

    /// More than the two of a batch, so that an error can name a surplus part.
    private static let partLimit = 16

    /// - Throws: `Fault` naming the broken rule.
    init(_ bytes: [UInt8], boundary: String) throws(Fault) {
        try Self.check(boundary)
        let body = Data(bytes)
        let delimiter = Data("--\(boundary)".utf8)
        // .NET, Java and JavaScript begin with the delimiter. The line end that every other delimiter has may stand
        // before the first one too.
        var at = body.starts(with: Self.lineEnd) ? Self.lineEnd.count : 0
        guard body[at...].starts(with: delimiter) else {
            throw Fault(text: "The body does not begin with the boundary.")
        }
        at += delimiter.count
        var parts: [Part] = []
        while !body[at...].starts(with: Data("--".utf8)) {
            guard body[at...].starts(with: Self.lineEnd) else {
                throw Fault(text: "A boundary is followed by neither CRLF nor two hyphens.")
            }
            guard parts.count < Self.partLimit else { throw Fault(text: "The body has too many parts.") }
            // The search begins at this line end, because an empty part shares it with the next delimiter.
            guard let next = body.range(of: Self.lineEnd + delimiter, in: at..<body.endIndex) else {
                let bare = body.range(of: Data("\n".utf8) + delimiter, in: at..<body.endIndex) != nil
                throw Fault(
                    text: bare ? "The line ends of the body are not CRLF." : "The closing boundary is missing.")
            }
            parts.append(try Self.part(body[min(at + Self.lineEnd.count, next.lowerBound)..<next.lowerBound]))
            at = next.upperBound
        }
        let rest = body[(at + 2)...]
        guard rest.isEmpty || rest.starts(with: Self.lineEnd) else {
            throw Fault(text: "The closing boundary is not the end of its line.")
        }
        self.parts = parts
    }

    private static let lineEnd = Data("\r\n".utf8)

    private static func check(_ boundary: String) throws(Fault) {
        let allowed = boundary.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || "'()+_,-./:=? ".utf8.contains(byte)
        }
        guard allowed, (1...70).contains(boundary.utf8.count), !boundary.hasSuffix(" ") else {
            throw Fault(text: "The boundary has characters that are not allowed, or is not 1 to 70 characters long.")
        }
    }

    private static func part(_ bytes: Data) throws(Fault) -> Part {
        let blankLine = lineEnd + lineEnd
        let split: Range<Data.Index>
        if bytes.starts(with: lineEnd) {
            split = bytes.startIndex..<(bytes.startIndex + lineEnd.count)  // no headers at all
        } else if let found = bytes.range(of: blankLine) {
            split = found
        } else {
            throw Fault(text: "A part has no blank line, without white space, between its headers and its content.")
        }
        return Part(headers: try headers(bytes[..<split.lowerBound]), content: Array(bytes[split.upperBound...]))
    }

    private static func headers(_ bytes: Data) throws(Fault) -> [String: String] {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Fault(text: "The headers of a part are not valid UTF-8.")
        }
        var headers: [String: String] = [:]
        if text.isEmpty { return headers }
        // A CRLF is one character in Swift, so a CR or LF that is left in a line is a bare one.
        for line in text.split(separator: "\r\n", omittingEmptySubsequences: false) {
            if line.unicodeScalars.contains(where: { $0 == "\r" || $0 == "\n" }) {
                throw Fault(text: "The line ends of the body are not CRLF.")
            }
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else {
                throw Fault(text: "A line in the headers of a part is not a header.")
            }
            let name = line[..<colon].lowercased()
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            guard headers.updateValue(String(value), forKey: name) == nil else {
                throw Fault(text: "A part has the same header twice.")
            }
        }
        return headers
    }
}
