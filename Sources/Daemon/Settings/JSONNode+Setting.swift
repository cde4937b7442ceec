import Configuration

extension LocatedJSON.Node {
    /// What it is, in words.
    var kind: String {
        switch self {
        case .object: "an object"
        case .array: "a list"
        case .text: "a text"
        case .number: "a number"
        case .flag: "true or false"
        case .null: "null"
        }
    }

    /// As it may be shown when it is of the wrong kind.
    var shown: String {
        switch self {
        case .text(let text): "the text \"\(text.prefix(80))\""
        case .number(let digits): "\(digits.prefix(80))"
        case .flag(let flag): "\(flag)"
        case .object, .array, .null: kind
        }
    }
}

extension SettingRule {
    /// The node as a value of this rule's kind; nil: it is of another kind. `1` is no flag and `"5"` is no number.
    func value(of node: LocatedJSON.Node) -> SettingValue? {
        switch (self, node) {
        case (.integer, .number(let digits)): Int(digits).map(SettingValue.integer)
        case (.flag, .flag(let flag)): .flag(flag)
        case (.choice, .text(let text)), (.text, .text(let text)), (.secret, .text(let text)): .text(text)
        default: nil
        }
    }

    /// The text of a command-line option as a value of this rule's kind.
    func value(of text: String) -> SettingValue? {
        switch self {
        case .integer: Int(text).map(SettingValue.integer)
        case .flag: Bool(text).map(SettingValue.flag)
        case .choice, .text, .secret: .text(text)
        }
    }
}

extension SettingValue {
    func configValue(isSecret: Bool) -> ConfigValue {
        switch self {
        case .integer(let number): ConfigValue(.int(number), isSecret: isSecret)
        case .flag(let flag): ConfigValue(.bool(flag), isSecret: isSecret)
        case .text(let text): ConfigValue(.string(text), isSecret: isSecret)
        }
    }
}
