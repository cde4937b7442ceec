/// Where the statements of a script begin: a server that refuses one without a position (a lock it did not get, a function it
/// cannot replace) has said only how many before it were done. Pure.
///
/// Knows what may hold a semicolon: quotes, dollar quotes, comments, and bodies between `BEGIN ATOMIC` and `END`.
struct ScriptLines {
    private let text: [UInt8]
    private var at = 0
    private var line = 1
    /// Open `BEGIN ATOMIC` and `CASE` of a body.
    private var depth = 0
    private var lastWord = ""

    /// The line, from 1, in which the statement behind the first `n` begins; nil: there are fewer.
    static func line(ofStatement n: Int, in script: String) -> Int? {
        var lines = ScriptLines(text: Array(script.utf8))
        for _ in 0..<n where lines.next() == nil { return nil }
        return lines.next()
    }

    private init(text: [UInt8]) { self.text = text }

    private func byte(_ offset: Int = 0) -> UInt8? { at + offset < text.count ? text[at + offset] : nil }

    private mutating func step() {
        if text[at] == UInt8(ascii: "\n") { line += 1 }
        at += 1
    }

    /// Reads one statement to its semicolon. Empty ones count for nothing, as for the server.
    private mutating func next() -> Int? {
        var began: Int?
        while let byte = byte() {
            if byte == UInt8(ascii: "-"), self.byte(1) == byte {
                while let byte = self.byte(), byte != UInt8(ascii: "\n") { step() }
            } else if byte == UInt8(ascii: "/"), self.byte(1) == UInt8(ascii: "*") {
                skip(past: Array("*/".utf8))
            } else if byte == UInt8(ascii: ";"), depth == 0 {
                step()
                if let began { return began }
            } else if byte <= UInt8(ascii: " ") {
                step()
            } else {
                began = began ?? line
                token(byte)
            }
        }
        return began
    }

    private mutating func token(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): skip(past: [byte])
        case UInt8(ascii: "$"):
            guard let end = text[(at + 1)...].firstIndex(where: { !Self.isWord($0) }), text[end] == byte else {
                return step()
            }
            skip(past: Array(text[at...end]))
        case _ where Self.isWord(byte): word()
        default: step()
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte >= 0x80 || (byte | 0x20) &- UInt8(ascii: "a") < 26
            || byte &- UInt8(ascii: "0") < 10
    }

    private mutating func word() {
        let start = at
        while let byte = byte(), Self.isWord(byte) || byte == UInt8(ascii: "$") { step() }
        let word = String(decoding: text[start..<at], as: UTF8.self).uppercased()
        switch word {
        case "ATOMIC" where lastWord == "BEGIN": depth += 1
        case "CASE" where depth > 0: depth += 1
        case "END" where depth > 0: depth -= 1
        default: break
        }
        lastWord = word
    }

    /// Reads on behind the next `mark` after the one that begins here.
    private mutating func skip(past mark: [UInt8]) {
        for _ in 0..<mark.count where at < text.count { step() }
        while at < text.count, !text[at...].starts(with: mark) { step() }
        for _ in 0..<mark.count where at < text.count { step() }
    }
}
