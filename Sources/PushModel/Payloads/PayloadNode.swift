/// A value in a native payload with its path, so that a refusal can say `aps.alert.title is a number`.
///
/// When a name appears twice, the last one counts, as in PostgreSQL's `->`. Refusals name paths and rules, never
/// values.
struct PayloadNode {
    /// `aps.alert.loc-args[1]`.
    let path: String
    let value: JSONValue

    /// - Parameter rule: follows the path: `is a number, not a string`.
    func refusal(_ rule: String) -> Unsendable { Unsendable("content", nil, "\(path) \(rule)") }

    /// The last member of that name; nil when there is none, or when this is not an object.
    subscript(name: String) -> PayloadNode? {
        guard case .object(let members) = value, let member = members.last(where: { $0.name == name }) else {
            return nil
        }
        return PayloadNode(path: path(to: name), value: member.node.value)
    }

    /// All members in their order; empty when this is not an object.
    var members: [(name: String, node: PayloadNode)] {
        guard case .object(let members) = value else { return [] }
        return members.map { ($0.name, PayloadNode(path: path(to: $0.name), value: $0.node.value)) }
    }

    /// The members whose names are localisation keys, in any spelling.
    var localisationKeys: [(name: String, key: LocalisationKey, node: PayloadNode)] {
        guard case .object(let members) = value else { return [] }
        return members.compactMap { member in
            LocalisationKey(member.name).map {
                (member.name, $0, PayloadNode(path: path(to: member.name), value: member.node.value))
            }
        }
    }

    /// Plain names are shown as they are; other names are quoted and shortened.
    func path(to name: String) -> String {
        let isWord =
            (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { Tag.isPlain($0) }
        let step = isWord ? name : name.quoted
        return path.isEmpty ? step : "\(path).\(step)"
    }

    /// - Throws: when it is not an object.
    func checkObject() throws(Unsendable) {
        guard case .object = value else { throw refusal("is \(value.kind), not an object") }
    }

    /// - Throws: when it is not a string.
    @discardableResult
    func string() throws(Unsendable) -> String {
        guard case .string(let text) = value else { throw refusal("is \(value.kind), not a string") }
        return text
    }

    /// - Throws: when it is not an object whose values are all strings.
    func checkStrings() throws(Unsendable) {
        try checkObject()
        for (_, node) in members {
            guard case .string = node.value else {
                throw node.refusal("is \(node.value.kind); every value in \(path) is a string")
            }
        }
    }

    /// Checks the arguments of a text that the device looks up itself.
    ///
    /// - Throws: when the argument list has no key beside it, is not an array or contains a value that is not a string.
    func checkArguments(_ name: String, of key: String) throws(Unsendable) {
        guard let list = self[name] else { return }
        guard self[key] != nil else { throw list.refusal("stands without \(path(to: key)), whose arguments it lists") }
        guard case .array(let elements) = list.value else {
            throw list.refusal("is \(list.value.kind), not an array of strings")
        }
        for (index, element) in elements.enumerated() {
            guard case .string = element.value else {
                throw PayloadNode(path: "\(list.path)[\(index)]", value: element.value).refusal(
                    "is \(element.value.kind); arguments are strings, a number is written \"3\"")
            }
        }
    }

    /// - Throws: when a member of one of these names is not a string.
    func checkStrings(_ names: [String]) throws(Unsendable) {
        for name in names { try self[name]?.string() }
    }
}
