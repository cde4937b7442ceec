/// A device's JSON template: a document in which some values are expressions.
///
/// Rendering replaces those values and nothing else, so order, numbers and white space of the document stay as they
/// were. Values are inserted as text and escaped; no value can add structure. XML templates are not read.
public struct Template: Sendable, Equatable {
    private enum Piece: Sendable, Equatable {
        case verbatim([UInt8])
        /// With its quotation marks, which go when it comes to a number.
        case expression(TemplateExpression)
    }

    private let pieces: [Piece]

    /// - Throws: `TemplateError` when the text is not one JSON object, nests deeper than 64, or a value that starts like
    ///   an expression is none; the path names the value.
    public init(json: String) throws(TemplateError) {
        let bytes = Array(json.utf8)
        var pieces: [Piece] = []
        var written = 0
        var failure: TemplateError?
        var scanner = JSONScanner(bytes)
        do throws(JSONError) {
            try scanner.object { (scanner, range) throws(JSONError) in
                let text = JSONText.decode(bytes[range])
                guard TemplateExpression.isExpression(text) else { return }
                do throws(TemplateError) {
                    let expression = try TemplateExpression(text)
                    pieces.append(.verbatim(Array(bytes[written..<range.lowerBound - 1])))
                    pieces.append(.expression(expression))
                    written = range.upperBound + 1
                } catch {
                    failure = error
                    throw scanner.error(error.rule)
                }
            }
        } catch {
            let path = error.path.isEmpty ? nil : error.path
            throw TemplateError(path: path, at: (failure?.position ?? error.position) - 1, error.rule)
        }
        pieces.append(.verbatim(Array(bytes[written...])))
        self.pieces = pieces
    }

    /// The properties it uses, in order, each once, as first written. Names compare without case.
    public var propertyNames: [String] {
        var seen: Set<String> = []
        return pieces.flatMap { piece in
            if case .expression(let expression) = piece { expression.propertyNames } else { [String]() }
        }
        .filter { seen.insert($0.lowercased()).inserted }
    }

    /// The document a device with this template gets. A missing property shows as an empty text.
    public func render(_ properties: [String: String]) -> String {
        let properties = TemplateProperties(properties)
        var bytes: [UInt8] = []
        for piece in pieces {
            switch piece {
            case .verbatim(let text): bytes.append(contentsOf: text)
            case .expression(let expression):
                switch expression.evaluate(properties) {
                case .number(let number): bytes.append(contentsOf: number.utf8)
                case .text(let text):
                    bytes.append(UInt8(ascii: "\""))
                    JSONText.append(text, to: &bytes)
                    bytes.append(UInt8(ascii: "\""))
                }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
