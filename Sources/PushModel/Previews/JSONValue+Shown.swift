extension JSONValue {
    /// The text of a string; nil: another value.
    var string: String? { if case .string(let text) = self { text } else { nil } }

    /// A string, number or boolean as a phone shows it: a whole number without its fraction, true as 1. nil: another value.
    var shownText: String? {
        switch self {
        case .string(let text): text
        case .number(let number): Self.shown(number)
        case .bool(let flag): flag ? "1" : "0"
        case .object, .array, .null: nil
        }
    }

    private static func shown(_ number: String) -> String {
        guard !number.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || $0 &- UInt8(ascii: "0") < 10 }),
            let value = Double(number), value.isFinite
        else { return number }
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }

    /// The member of that name if it is an object.
    func object(_ name: String) -> JSONValue? { self[name].flatMap { $0.isObject ? $0 : nil } }

    var isEmptyObject: Bool { if case .object(let members) = self { members.isEmpty } else { false } }

    /// An object that also has this member; nil: as it is.
    func with(_ name: String, _ value: JSONValue?) -> JSONValue {
        guard case .object(let members) = self, let value else { return self }
        return .object(members + [Member(name: name, start: 0, node: JSONNode(range: 0..<0, value: value))])
    }
}
