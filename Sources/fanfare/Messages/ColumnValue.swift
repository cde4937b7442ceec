import PushModel

/// The value a line gives a column.
struct ColumnValue {
    let value: JSONValue
    /// As it stands in the line: nested values go to the database as they were written.
    let written: String

    /// The members of one JSON object, in their order.
    static func members(of line: [UInt8]) throws(LineFault) -> [(name: String, value: ColumnValue)] {
        let root: JSONValue
        do throws(JSONError) {
            // Whether a content nests too deep is for the database to say; this only protects the stack.
            root = try JSONNode(line, depthLimit: 512).value
        } catch {
            throw LineFault("it is not JSON: \(error.rule)", column: error.position)
        }
        guard case .object(let members) = root else { throw LineFault("it is not a JSON object") }
        return members.map { member in
            let written = String(decoding: line[member.node.range], as: UTF8.self)
            return (member.name, ColumnValue(value: member.node.value, written: written))
        }
    }

    var text: String? { if case .string(let text) = value { text } else { nil } }

    /// An array whose elements are all strings.
    var texts: [String]? {
        guard case .array(let elements) = value else { return nil }
        let texts = elements.compactMap { if case .string(let text) = $0.value { text } else { nil } }
        return texts.count == elements.count ? texts : nil
    }

    /// JSON text: an object as it was written, or what a string holds.
    var json: String? {
        switch value {
        case .object: written
        case .string(let text): text
        default: nil
        }
    }

    /// What it is, in words.
    var kind: String {
        switch value {
        case .object: "an object"
        case .array: "a list"
        case .string: "a text"
        case .number: "a number"
        case .bool: "true or false"
        case .null: "null"
        }
    }
}
