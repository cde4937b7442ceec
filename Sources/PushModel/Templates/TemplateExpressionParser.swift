/// Reads a template expression: one property, or `{` parts joined by `+` `}`.
struct TemplateExpressionParser {
    /// Scalars, because a quotation mark followed by a combining accent would be one `Character`.
    private let characters: [UnicodeScalar]
    private var at = 0

    /// The text starts with one of `$ . % # {`.
    init(_ text: String) {
        characters = Array(text.unicodeScalars)
    }

    mutating func parse() throws(TemplateError) -> [TemplateExpression.Part] {
        if characters[0] == "{" {
            at += 1
            return try composite()
        }
        let property = try property(inComposite: false)
        if at < characters.count {
            throw error("text follows the expression; parts are joined as {$(a) + 'text'}")
        }
        return [.property(property)]
    }

    private mutating func composite() throws(TemplateError) -> [TemplateExpression.Part] {
        var parts: [TemplateExpression.Part] = []
        while true {
            switch next {
            case nil: throw error("\"}\" is missing")
            case "'", "\"": parts.append(.literal(try literal()))
            case "$", ".", "%", "#": parts.append(.property(try property(inComposite: true)))
            default: throw error("a property or a literal in quotation marks is missing")
            }
            switch next {
            case "+": at += 1
            case "}":
                at += 1
                if at < characters.count { throw error("text follows \"}\"") }
                return parts
            case nil: throw error("\"}\" is missing")
            default: throw error("only \"+\" joins parts")
            }
        }
    }

    /// A text in quotation marks; a doubled mark is one mark of the text.
    private mutating func literal() throws(TemplateError) -> String {
        let start = at
        let mark = characters[at]
        var text = String.UnicodeScalarView()
        at += 1
        while at < characters.count {
            if characters[at] != mark {
                text.append(characters[at])
            } else if at + 1 < characters.count, characters[at + 1] == mark {
                text.append(mark)
                at += 1
            } else {
                at += 1
                return String(text)
            }
            at += 1
        }
        throw TemplateError(at: start, "the literal is not closed by \(mark)")
    }

    private mutating func property(inComposite: Bool) throws(TemplateError) -> TemplateExpression.Property {
        let sign = characters[at]
        if sign == "$", text(at..<min(at + 5, characters.count)).lowercased() == "$body" {
            throw error("$body is not supported")
        }
        if sign == "#", inComposite { throw error("#() cannot stand inside { }") }
        at += 1
        guard at < characters.count, characters[at] == "(" else { throw error("\"(\" is missing after \"\(sign)\"") }
        at += 1
        let name = try name()
        let fallback = try fallback()
        let length = try length()
        guard next == ")" else { throw error("\")\" is missing") }
        at += 1
        let form: TemplateExpression.Property.Form
        switch (sign, length) {
        case ("$", nil): form = .whole
        case ("$", let length?): form = .cut(length)
        case (".", let length?): form = .dotted(length)
        case (".", nil): throw error(".() needs a length: .(name, 20)")
        case (_, .some): throw error("\(sign)() takes no length")
        case ("%", nil): form = .encoded
        default: form = .number
        }
        return .init(name: name, form: form, fallback: fallback)
    }

    private mutating func name() throws(TemplateError) -> String {
        _ = next
        let start = at
        while at < characters.count, isNameCharacter(characters[at]) { at += 1 }
        let name = text(start..<at)
        guard let end = next else { throw error("\")\" is missing") }
        guard !name.isEmpty, end == ")" || end == "," || end == ":" else {
            throw error("a property's name has only ASCII letters, digits and _")
        }
        if name.count > TemplateExpression.nameLimit {
            throw TemplateError(
                at: start,
                "the property's name has \(name.count) characters, at most \(TemplateExpression.nameLimit) are allowed")
        }
        return name
    }

    /// `:{text}`, in which `\}` means `}` and `\\` means `\`.
    private mutating func fallback() throws(TemplateError) -> String? {
        guard next == ":" else { return nil }
        let start = at
        at += 1
        guard at < characters.count, characters[at] == "{" else { throw error("a default is written :{text}") }
        at += 1
        var text = String.UnicodeScalarView()
        while at < characters.count {
            var character = characters[at]
            if character == "}" {
                at += 1
                return String(text)
            }
            if character == "\\", at + 1 < characters.count, characters[at + 1] == "}" || characters[at + 1] == "\\" {
                at += 1
                character = characters[at]
            }
            text.append(character)
            at += 1
        }
        throw TemplateError(at: start, "the default is not closed by \"}\"")
    }

    private mutating func length() throws(TemplateError) -> Int? {
        guard next == "," else { return nil }
        at += 1
        _ = next
        let start = at
        while at < characters.count, ("0"..."9").contains(characters[at]) { at += 1 }
        // The service reads a 32-bit integer.
        guard let length = Int32(text(start..<at)), next == ")" || next == nil else {
            throw TemplateError(at: start, "the length is not a whole number of 0 or more")
        }
        return Int(length)
    }

    private func isNameCharacter(_ character: UnicodeScalar) -> Bool {
        character == "_" || (character.isASCII && character.properties.isAlphabetic)
            || ("0"..."9").contains(character)
    }

    private func text(_ range: Range<Int>) -> String {
        String(String.UnicodeScalarView(characters[range]))
    }

    /// Skips white space and returns the next character, which `at` then points to.
    private var next: UnicodeScalar? {
        mutating get {
            while at < characters.count, characters[at].properties.isWhitespace { at += 1 }
            return at < characters.count ? characters[at] : nil
        }
    }

    private func error(_ rule: String) -> TemplateError { TemplateError(at: at, rule) }
}

/// Why a text is not a template, or a value is not an expression.
public struct TemplateError: Error, Equatable, CustomStringConvertible {
    /// The place in a document: `aps.alert`, `toast/visual/binding/text`; nil for an expression alone.
    public internal(set) var path: String?
    /// The character of the expression, or of the document where its JSON or XML is at fault; the first is 1.
    public let position: Int
    /// The rule broken, in plain words.
    public let rule: String

    init(path: String? = nil, at index: Int, _ rule: String) {
        self.path = path
        position = index + 1
        self.rule = rule
    }

    /// The same error with `place` in front of its path.
    public func within(_ place: String) -> TemplateError {
        var error = self
        error.path = path.map { "\(place): \($0)" } ?? place
        return error
    }

    public var description: String {
        (path.map { $0 + ": " } ?? "") + "character \(position): \(rule)"
    }
}
