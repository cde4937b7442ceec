/// Cuts a document into verbatim text and expressions, while a scanner reads it.
struct TemplateBuilder {
    private let bytes: [UInt8]
    private var pieces: [Template.Piece] = []
    private var written = 0
    private(set) var mixed: [Template.Mixed] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Adds the next value of the document.
    ///
    /// - Parameters:
    ///   - text: the value, decoded.
    ///   - ranges: its bytes; rendering replaces the first range, drops the others and keeps what is between them.
    ///   - path: evaluated only for a value that contains an expression but does not begin with one.
    /// - Throws: `TemplateError` when it starts like an expression and is not a valid one.
    mutating func add(
        _ text: String, at ranges: [Range<Int>], _ place: Template.Place, path: @autoclosure () -> String
    ) throws(TemplateError) {
        guard TemplateExpression.isExpression(text) else {
            if TemplateExpression.occurs(in: text) { mixed.append(.init(path: path(), text: text)) }
            return
        }
        let expression = try TemplateExpression(text)
        for (index, range) in ranges.enumerated() {
            pieces.append(.verbatim(Array(bytes[written..<range.lowerBound])))
            if index == 0 { pieces.append(.expression(expression, place)) }
            written = range.upperBound
        }
    }

    /// All pieces, with the rest of the document.
    var finished: [Template.Piece] { pieces + [.verbatim(Array(bytes[written...]))] }
}

extension TemplateExpression {
    /// Whether a text contains anything that looks like `$(name)`.
    static func occurs(in text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.dropFirst().contains { index in
            bytes[index] == UInt8(ascii: "(") && looksLikeExpression(bytes, at: index)
        }
    }

    /// - Parameter open: the index of a parenthesis with a character before it.
    private static func looksLikeExpression(_ bytes: [UInt8], at open: Int) -> Bool {
        let name = bytes[(open + 1)...].prefix { byte in
            byte == UInt8(ascii: "_") || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        }
        guard !name.isEmpty, name.endIndex < bytes.count else { return false }
        return switch (bytes[open - 1], bytes[name.endIndex]) {
        case (UInt8(ascii: "$"), UInt8(ascii: ")")), (UInt8(ascii: "%"), UInt8(ascii: ")")),
            (UInt8(ascii: "#"), UInt8(ascii: ")")), (UInt8(ascii: "$"), UInt8(ascii: ",")),
            (UInt8(ascii: "$"), UInt8(ascii: ":")), (UInt8(ascii: "."), UInt8(ascii: ",")):
            true
        default: false
        }
    }
}
