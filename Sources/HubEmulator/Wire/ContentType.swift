/// The value of a `Content-Type` header. Names are case-insensitive.
struct ContentType: Sendable, Equatable {
    /// `application/json`, in lower case.
    let media: String
    /// `charset`, `boundary` ... by name in lower case; without the quotation marks.
    let parameters: [String: String]

    /// The values of nearly all sends, parsed once.
    private static let usual: [String: ContentType] = {
        let texts = ["application/json;charset=utf-8", "application/json", "application/xml"]
        return Dictionary(texts.compactMap { text in parse(text).map { (text, $0) } }) { first, _ in first }
    }()

    private static let charsets: Set = ["utf-8", "us-ascii", "iso-8859-1", "utf-16"]

    /// Accepts white space around `=` and `;`, and single quotation marks, because the service's own clients and pages
    /// write both (docs/wire/notification-hubs.md, "Formats", "Sends").
    ///
    /// nil: not a media type with parameters, or an unknown character set.
    init?(_ text: String) {
        guard let type = Self.usual[text] ?? Self.parse(text) else { return nil }
        self = type
    }

    private init(media: String, parameters: [String: String]) {
        self.media = media
        self.parameters = parameters
    }

    private static func parse(_ text: String) -> ContentType? {
        var rest = text[...]
        guard let type = token(&rest), rest.popFirst() == "/", let subtype = token(&rest),
            let parameters = parameters(&rest), rest.isEmpty
        else { return nil }
        if let charset = parameters["charset"], !charsets.contains(charset.lowercased()) { return nil }
        return ContentType(media: "\(type)/\(subtype)".lowercased(), parameters: parameters)
    }

    /// Any number of `; name=value`; nil when something else follows, or a name occurs twice.
    static func parameters(_ rest: inout Substring) -> [String: String]? {
        var found: [String: String] = [:]
        skipBlanks(&rest)
        while rest.first == ";" {
            rest.removeFirst()
            skipBlanks(&rest)
            guard let name = token(&rest)?.lowercased() else { return nil }
            skipBlanks(&rest)
            guard rest.popFirst() == "=" else { return nil }
            skipBlanks(&rest)
            guard let value = quoted(&rest) ?? token(&rest), !value.isEmpty else { return nil }
            guard found.updateValue(value, forKey: name) == nil else { return nil }
            skipBlanks(&rest)
        }
        return found
    }

    private static func skipBlanks(_ rest: inout Substring) { rest = rest.drop { $0 == " " || $0 == "\t" } }

    /// RFC 9110 section 5.6.2, without the apostrophe, which is a quotation mark here.
    static func token(_ rest: inout Substring) -> String? {
        let token = rest.prefix { character in
            character.isASCII && (character.isLetter || character.isNumber || "!#$%&*+-.^_`|~".contains(character))
        }
        rest = rest[token.endIndex...]
        return token.isEmpty ? nil : String(token)
    }

    private static func quoted(_ rest: inout Substring) -> String? {
        guard let mark = rest.first, mark == "\"" || mark == "'",
            let end = rest.dropFirst().firstIndex(of: mark)
        else { return nil }
        let value = rest[rest.index(after: rest.startIndex)..<end]
        guard !value.contains("\\") else { return nil }
        rest = rest[rest.index(after: end)...]
        return String(value)
    }
}
