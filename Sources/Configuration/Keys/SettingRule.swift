import PushModel

/// What the value of a key may be.
enum SettingRule: Sendable {
    /// `unit` is a plural: `messages`, `seconds`.
    case integer(ClosedRange<Int>, unit: String)
    case flag
    case choice([String])
    /// `rule` completes "must be …"; `pattern` is the same rule for an editor, as far as a regular expression can.
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

    /// The node as a value of this rule's kind; nil when it is of another kind. `1` is not a flag and `"5"` not a
    /// number.
    func value(of node: LocatedJSON.Node) -> SettingValue? {
        switch (self, node) {
        case (.integer, .number(let digits)): Int(digits).map(SettingValue.integer)
        case (.flag, .flag(let flag)): .flag(flag)
        case (.choice, .text(let text)), (.text, .text(let text)), (.secret, .text(let text)): .text(text)
        default: nil
        }
    }

    /// The text of a command-line option as a value of this rule's kind; nil when it is not one.
    func value(ofOption text: String) -> SettingValue? {
        switch self {
        case .integer: Int(text).map(SettingValue.integer)
        case .flag: Bool(text).map(SettingValue.flag)
        case .choice, .text, .secret: .text(text)
        }
    }

    /// The text of a variable as a value of this rule's kind; nil when it is not one. A flag may also be `yes`, `no`,
    /// `1` or `0`, in any case.
    func value(ofVariable text: String) -> SettingValue? {
        guard case .flag = self else { return value(ofOption: text) }
        return switch text.lowercased() {
        case "true", "yes", "1": .flag(true)
        case "false", "no", "0": .flag(false)
        default: nil
        }
    }

    /// How to correct a value that breaks the rule; `initial` is the default, if the key has one.
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
