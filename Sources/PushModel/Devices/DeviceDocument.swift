/// Reads a document of `push.installation_change`: the arguments of the call, by their names in SQL.
struct DeviceDocument {
    private let text: [UInt8]
    private let members: [JSONValue.Member]

    /// - Throws: `InvalidDeviceDocument` when the text is not a JSON object.
    init(json: String) throws(InvalidDeviceDocument) {
        text = Array(json.utf8)
        guard case .object(let members)? = (try? JSONNode(text))?.value else {
            throw InvalidDeviceDocument("the document is not a JSON object")
        }
        self.members = members
    }

    private func node(_ name: String) -> JSONNode? { members.last { $0.name == name }?.node }

    /// nil: null, or not there.
    func text(_ name: String) throws(InvalidDeviceDocument) -> String? {
        switch node(name)?.value {
        case .string(let text): return text
        case nil, .null: return nil
        default: throw InvalidDeviceDocument("\(name) is not a text")
        }
    }

    func texts(_ name: String) throws(InvalidDeviceDocument) -> [String] {
        switch node(name)?.value {
        case .array(let nodes):
            var texts: [String] = []
            for node in nodes {
                guard case .string(let text) = node.value else {
                    throw InvalidDeviceDocument("\(name) is not a list of texts")
                }
                texts.append(text)
            }
            return texts
        case nil, .null: return []
        default: throw InvalidDeviceDocument("\(name) is not a list of texts")
        }
    }

    /// Each template with its JSON text; nil instead of a text: null.
    func templates() throws(InvalidDeviceDocument) -> [(name: String, json: String?)] {
        switch node("templates")?.value {
        case .object(let members):
            return members.map { member in
                let isNull = member.node.value == .null
                return (member.name, isNull ? nil : String(decoding: text[member.node.range], as: UTF8.self))
            }
        case nil, .null: return []
        default: throw InvalidDeviceDocument("templates is not an object")
        }
    }
}
