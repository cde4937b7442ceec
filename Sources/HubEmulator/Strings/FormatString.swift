/// A text of an app with places for arguments, as Android's `strings.xml` and Apple's `Localizable.strings` have it.
///
/// `%s`, `%@`, `%d` and `%ld` take the next argument; `%1$s`, `%2$@` the one of that number; `%%` is a percent sign. The
/// arguments of a push are texts, so the letter changes nothing.
struct FormatString: Sendable, Equatable {
    enum Piece: Sendable, Equatable {
        case text(String)
        /// - Parameters:
        ///   - number: counted from 1.
        ///   - source: as written, which is shown when the argument is missing.
        case argument(number: Int, source: String)
    }

    /// Why a text is no format.
    struct Fault: Error, Equatable {
        /// The character that breaks the rule; the first of the text is 1.
        let position: Int
        let rule: String
    }

    /// The largest number of an argument.
    static let numberLimit = 99

    let pieces: [Piece]

    /// - Throws: `Fault` for a percent sign that begins no known placeholder.
    init(_ text: String) throws(Fault) {
        var pieces: [Piece] = []
        var literal = ""
        var next = 1
        let characters = Array(text.unicodeScalars)
        var at = 0
        while at < characters.count {
            guard characters[at] == "%" else {
                literal.unicodeScalars.append(characters[at])
                at += 1
                continue
            }
            let found = try Self.placeholder(characters, at: at)
            let source = String(String.UnicodeScalarView(characters[at..<found.end]))
            at = found.end
            guard !found.isPercent else {
                literal += "%"
                continue
            }
            if !literal.isEmpty { pieces.append(.text(literal)) }
            literal = ""
            pieces.append(.argument(number: found.number ?? next, source: source))
            if found.number == nil { next += 1 }
        }
        if !literal.isEmpty { pieces.append(.text(literal)) }
        self.pieces = pieces
    }

    /// How many arguments a message needs.
    var argumentCount: Int {
        pieces.reduce(0) { most, piece in
            if case .argument(let number, _) = piece { max(most, number) } else { most }
        }
    }

    /// The text with its arguments. A place whose argument is missing stays as it is written; arguments beyond the places
    /// are left out.
    func text(with arguments: [String]) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .argument(let number, let source): number <= arguments.count ? arguments[number - 1] : source
            }
        }.joined()
    }

    private struct Placeholder {
        /// Behind it.
        var end: Int
        var isPercent = false
        /// nil: the next argument.
        var number: Int?
    }

    private static func placeholder(_ text: [Unicode.Scalar], at start: Int) throws(Fault) -> Placeholder {
        var at = start + 1
        func fault(_ rule: String) -> Fault { Fault(position: start + 1, rule: rule) }
        if at < text.count, text[at] == "%" { return Placeholder(end: at + 1, isPercent: true) }
        var number: Int?
        let digits = text[at...].prefix { ("0"..."9").contains($0) }
        if !digits.isEmpty {
            at += digits.count
            // A flag or a width, such as %5d, has no number of an argument.
            guard at < text.count, text[at] == "$" else { throw fault(Self.known) }
            guard digits.count <= 2, let value = Int(String(String.UnicodeScalarView(digits))), value >= 1 else {
                throw fault("the number of an argument is 1 to \(numberLimit)")
            }
            number = value
            at += 1
        }
        let rest = text[at...].prefix(2)
        if rest.starts(with: ["l", "d"]) { return Placeholder(end: at + 2, number: number) }
        guard let letter = rest.first, ["s", "@", "d"].contains(letter) else { throw fault(Self.known) }
        return Placeholder(end: at + 1, number: number)
    }

    private static let known = "a % begins %s, %@, %d, %ld, one with a number such as %1$s, or %%"
}
