/// Cuts a document into what stays and what is evaluated, while a scanner walks it.
struct TemplateBuilder {
    private let bytes: [UInt8]
    private var pieces: [Template.Piece] = []
    private var written = 0
    private(set) var mixed: [Template.Mixed] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// One value of the document, in order.
    ///
    /// - Parameters:
    ///   - text: what it says.
    ///   - ranges: where it stands; the first is replaced, the others vanish, what is between them stays.
    ///   - path: read only when something is to be told of the value.
    /// - Throws: `TemplateError` when it starts like an expression and is none.
    mutating func add(
        _ text: String, at ranges: [Range<Int>], _ place: Template.Place, path: @autoclosure () -> String
    ) throws(TemplateError) {
        guard TemplateExpression.isExpression(text) else {
            if TemplateExpression.stands(in: text) { mixed.append(.init(path: path(), text: text)) }
            return
        }
        let expression = try TemplateExpression(text)
        for (index, range) in ranges.enumerated() {
            pieces.append(.verbatim(Array(bytes[written..<range.lowerBound])))
            if index == 0 { pieces.append(.expression(expression, place)) }
            written = range.upperBound
        }
    }

    /// With the rest of the document.
    var finished: [Template.Piece] { pieces + [.verbatim(Array(bytes[written...]))] }
}

extension TemplateExpression {
    /// Whether something that reads like `$(name)` stands anywhere in a text.
    static func stands(in text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.dropFirst().contains { index in
            bytes[index] == UInt8(ascii: "(") && reads(bytes, from: index)
        }
    }

    /// - Parameter open: the index of a parenthesis with a character before it.
    private static func reads(_ bytes: [UInt8], from open: Int) -> Bool {
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
