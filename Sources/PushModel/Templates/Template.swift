/// A device's template: a document in which some values are expressions.
///
/// Rendering replaces only those values; order, numbers and white space of the document do not change. Values are
/// inserted as text and escaped: no value can add structure.
public struct Template: Sendable, Equatable {
    enum Piece: Sendable, Equatable {
        case verbatim([UInt8])
        case expression(TemplateExpression, Place)
    }

    enum Place: Sendable, Equatable {
        /// A whole JSON string with its quotation marks; a number replaces them too.
        case string
        /// The value of an XML attribute, without quotation marks.
        case attribute
        /// The text of an XML element.
        case element
    }

    /// A value that contains an expression but does not begin with one, and so is not evaluated.
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
    /// - Throws: `TemplateError` when the text is not one JSON object, nests deeper than 64, or a value starts like an
    ///   expression and is not a valid one; the path names the value.
    public init(json: String) throws(TemplateError) {
        let bytes = Array(json.utf8)
        var builder = TemplateBuilder(bytes)
        try Self.add(try Self.read(bytes), path: "", to: &builder)
        pieces = builder.finished
        mixed = builder.mixed
    }

    private static func read(_ bytes: [UInt8]) throws(TemplateError) -> JSONNode {
        var scanner = JSONScanner(bytes)
        do throws(JSONError) {
            try scanner.expectObject()
            let node = try scanner.node()
            try scanner.expectEnd(of: "object")
            return node
        } catch {
            throw TemplateError(path: error.path.isEmpty ? nil : error.path, at: error.position - 1, error.rule)
        }
    }

    /// Adds every string in a value, in order.
    private static func add(
        _ node: JSONNode, path: String, to builder: inout TemplateBuilder
    ) throws(TemplateError) {
        switch node.value {
        case .string(let text):
            do throws(TemplateError) {
                try builder.add(text, at: [node.range], .string, path: path)
            } catch {
                throw TemplateError(path: path, at: error.position - 1, error.rule)
            }
        case .object(let members):
            for member in members {
                let step = path.isEmpty ? member.name : "\(path).\(member.name)"
                try add(member.node, path: step, to: &builder)
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                try add(element, path: "\(path)[\(index)]", to: &builder)
            }
        case .number, .bool, .null: break
        }
    }

    /// A template for WNS and MPNS: a whole attribute value or the whole text of an element may be an expression
    /// (docs/wire/notification-hubs.md, "Templates").
    ///
    /// The text of an element with child elements is never an expression. White space counts: a text that begins with a
    /// line end does not begin with an expression.
    ///
    /// - Throws: `TemplateError` when the text has more than 65,536 bytes (which no request can carry), is not XML, has
    ///   a document type, nests deeper than 64, or a value starts like an expression and is not a valid one; the path
    ///   names the element or attribute.
    public init(xml: String) throws(TemplateError) {
        let bytes = Array(xml.utf8)
        guard bytes.count <= HubKind.notificationHubs.facts.bodyBytes else {
            throw TemplateError(
                at: 0, "it has \(bytes.count) bytes, at most \(HubKind.notificationHubs.facts.bodyBytes) are allowed")
        }
        var builder = TemplateBuilder(bytes)
        var scanner = XMLScanner(bytes)
        while let event = try Self.next(from: &scanner) {
            do throws(TemplateError) {
                switch event {
                case .attribute(let range):
                    let text = XMLText.decodeAttribute(bytes, range)
                    try builder.add(text, at: [range], .attribute, path: scanner.path)
                case .end(let runs, isLeaf: true) where !runs.isEmpty:
                    let text = XMLText.decodeText(bytes, runs)
                    try builder.add(text, at: runs, .element, path: scanner.path)
                case .start, .end, .instruction: break
                }
            } catch {
                throw TemplateError(path: scanner.path, at: error.position - 1, error.rule)
            }
        }
        pieces = builder.finished
        mixed = builder.mixed
    }

    private static func next(from scanner: inout XMLScanner) throws(TemplateError) -> XMLScanner.Event? {
        do throws(XMLError) {
            return try scanner.next()
        } catch {
            let path = error.path.isEmpty ? nil : error.path
            throw TemplateError(path: path, at: error.position - 1, error.rule)
        }
    }

    /// The properties it uses, in order, each once, as first written. Comparison ignores case.
    public var propertyNames: [String] { names { _ in true } }

    /// The properties that have no default in at least one place.
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

    /// The document that a device with this template gets. A missing property becomes an empty text.
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
