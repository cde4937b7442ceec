/// What the value of a key may be.
enum SettingRule: Sendable {
    /// `unit` in plural: `messages`, `seconds`.
    case integer(ClosedRange<Int>, unit: String)
    case flag
    case choice([String])
    /// `rule` completes "must be …"; `pattern` says the same to an editor, as far as a regular expression can.
    case text(rule: String, pattern: String? = nil, holds: @Sendable (String) -> Bool)
    /// As `text`, and never shown.
    case secret(rule: String)

    var isSecret: Bool { if case .secret = self { true } else { false } }

    /// Completes "must be …".
    var words: String {
        switch self {
        case .integer(let range, let unit):
            "a whole number from \(range.lowerBound) to \(range.upperBound)" + (unit.isEmpty ? "" : " (\(unit))")
        case .flag: "true or false"
        case .choice(let names): names.count == 1 ? "\"\(names[0])\"" : "one of " + names.joined(separator: ", ")
        case .text(let rule, _, _), .secret(let rule): rule
        }
    }

    func holds(_ value: SettingValue) -> Bool {
        switch (self, value) {
        case (.integer(let range, _), .integer(let number)): range.contains(number)
        case (.flag, .flag): true
        case (.choice(let names), .text(let text)): names.contains(text)
        case (.text(_, _, let holds), .text(let text)): holds(text)
        case (.secret, .text): true
        default: false
        }
    }

    /// How to mend a value that breaks the rule; `initial` is the default, if there is one.
    func remedy(for text: String, initial: SettingValue?) -> String {
        if case .choice(let names) = self, let name = DidYouMean.nearest(to: text, in: names) {
            return "Did you mean \"\(name)\""
        }
        guard let initial, !isSecret, initial != .text("") else { return "Change it" }
        return "Change it, or leave it out for \(initial)"
    }
}

/// The value of a key, as sources give it.
enum SettingValue: Sendable, Equatable, CustomStringConvertible {
    case integer(Int)
    case flag(Bool)
    case text(String)

    var description: String {
        switch self {
        case .integer(let number): "\(number)"
        case .flag(let flag): "\(flag)"
        case .text(let text): text
        }
    }
}
