/// A device's template: a document in which some values are expressions.
///
/// Rendering replaces those values and nothing else, so order, numbers and white space of the document stay as they
/// were. Values are inserted as text and escaped; no value can add structure.
public struct Template: Sendable, Equatable {
    enum Piece: Sendable, Equatable {
        case verbatim([UInt8])
        case expression(TemplateExpression, Place)
    }

    enum Place: Sendable, Equatable {
        /// A whole JSON string, with its quotation marks, which go when it comes to a number.
        case string
        /// The value of an XML attribute, without its quotation marks.
        case attribute
        /// The text of an XML element.
        case element
    }

    /// A value that stays as it is although an expression stands in it: it does not begin with one.
    public struct Mixed: Sendable, Equatable {
        /// `aps.alert`, `toast/visual/binding/text`.
        public let path: String
        public let text: String
    }

    let pieces: [Piece]
    /// In order.
    public let mixed: [Mixed]

    /// A template for the platforms that take JSON.
    ///
    /// - Throws: `TemplateError` when the text is not one JSON object, nests deeper than 64, or a value that starts like
    ///   an expression is none; the path names the value.
    public init(json: String) throws(TemplateError) {
        let bytes = Array(json.utf8)
        var builder = TemplateBuilder(bytes)
        var failure: TemplateError?
        var scanner = JSONScanner(bytes)
        do throws(JSONError) {
            try scanner.object { (scanner, range) throws(JSONError) in
                let text = JSONText.decode(bytes[range])
                let whole = [range.lowerBound - 1..<range.upperBound + 1]
                do throws(TemplateError) {
                    try builder.add(text, at: whole, .string, path: scanner.error("").path)
                } catch {
                    failure = error
                    throw scanner.error(error.rule)
                }
            }
        } catch {
            let path = error.path.isEmpty ? nil : error.path
            throw TemplateError(path: path, at: (failure?.position ?? error.position) - 1, error.rule)
        }
        pieces = builder.finished
        mixed = builder.mixed
    }

    /// A template for WNS and MPNS: a whole attribute value or the whole text of an element may be an expression
    /// (notification-hubs.md section 7).
    ///
    /// The text of an element that holds other elements is none. White space counts: a text that begins with a line end
    /// does not begin with an expression.
    ///
    /// - Throws: `TemplateError` when the text has more than 65,536 bytes (which no request can carry), is no XML, has a
    ///   document type, nests deeper than 64, or a value that starts like an expression is none; the path names the
    ///   element or attribute.
    public init(xml: String) throws(TemplateError) {
        let bytes = Array(xml.utf8)
        guard bytes.count <= Post.bodyLimit else {
            throw TemplateError(at: 0, "it has \(bytes.count) bytes, at most \(Post.bodyLimit) are allowed")
        }
        var builder = TemplateBuilder(bytes)
        var failure: TemplateError?
        var scanner = XMLScanner(bytes)
        do throws(XMLError) {
            try scanner.document { (scanner, event) throws(XMLError) in
                do throws(TemplateError) {
                    switch event {
                    case .attribute(let range):
                        let text = XMLText.decodeAttribute(bytes, range)
                        try builder.add(text, at: [range], .attribute, path: scanner.path)
                    case .text(let runs):
                        let text = XMLText.decodeText(bytes, runs)
                        try builder.add(text, at: runs, .element, path: scanner.path)
                    }
                } catch {
                    failure = error
                    throw scanner.error(error.rule)
                }
            }
        } catch {
            let path = error.path.isEmpty ? nil : error.path
            throw TemplateError(path: path, at: (failure?.position ?? error.position) - 1, error.rule)
        }
        pieces = builder.finished
        mixed = builder.mixed
    }

    /// The properties it uses, in order, each once, as first written. Names compare without case.
    public var propertyNames: [String] { names { _ in true } }

    /// Those of them that nothing stands in for when a message lacks them, in at least one place.
    public var requiredNames: [String] { names { $0.fallback == nil } }

    private func names(_ condition: (TemplateExpression.Property) -> Bool) -> [String] {
        var seen: Set<String> = []
        return pieces.flatMap { piece in
            guard case .expression(let expression, _) = piece else { return [String]() }
            return expression.parts.compactMap { part in
                guard case .property(let property) = part, condition(property) else { return nil }
                return property.name
            }
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
            case .expression(let expression, .string):
                switch expression.evaluate(properties) {
                case .number(let number): bytes.append(contentsOf: number.utf8)
                case .text(let text):
                    bytes.append(UInt8(ascii: "\""))
                    JSONText.append(text, to: &bytes)
                    bytes.append(UInt8(ascii: "\""))
                }
            case .expression(let expression, let place):
                XMLText.append(expression.evaluate(properties).text, isAttribute: place == .attribute, to: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
