/// One JSON value as a tree, for rules that ask what stands where.
indirect enum JSONValue: Equatable {
    /// In the order written; a name may stand twice.
    case object([Member])
    case array([JSONValue])
    case string(String)
    /// As written.
    case number(String)
    case bool(Bool)
    case null

    struct Member: Equatable {
        let name: String
        let value: JSONValue
    }

    /// For people: `an object`.
    var kind: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .bool: "true or false"
        case .null: "null"
        }
    }
}

extension JSONScanner {
    /// Reads a whole text.
    ///
    /// - Throws: when it is no JSON.
    mutating func tree() throws(JSONError) -> JSONValue {
        let value = try tree(depth: 0)
        if next() != nil { throw error("something follows the end of the text") }
        return value
    }

    private mutating func tree(depth: Int) throws(JSONError) -> JSONValue {
        if depth > JSONScanner.depthLimit { throw error("it is nested deeper than \(JSONScanner.depthLimit)") }
        switch next() {
        case UInt8(ascii: "{"): return .object(try members(depth: depth))
        case UInt8(ascii: "["): return .array(try elements(depth: depth))
        case UInt8(ascii: "\""): return .string(JSONText.decode(bytes[try string()]))
        case UInt8(ascii: "t"):
            try word("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try word("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try word("null")
            return .null
        case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
            let start = at
            try number()
            return .number(String(decoding: bytes[start..<at], as: UTF8.self))
        case nil: throw error("it ends where a value should be")
        default: throw error("this is no JSON value")
        }
    }

    private mutating func members(depth: Int) throws(JSONError) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        try expect(UInt8(ascii: "{"), "before a member")
        if take(UInt8(ascii: "}")) { return members }
        repeat {
            let name = JSONText.decode(bytes[try name()])
            members.append(JSONValue.Member(name: name, value: try tree(depth: depth + 1)))
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"), "after a member")
        return members
    }

    private mutating func elements(depth: Int) throws(JSONError) -> [JSONValue] {
        var elements: [JSONValue] = []
        try expect(UInt8(ascii: "["), "before an element")
        if take(UInt8(ascii: "]")) { return elements }
        repeat { elements.append(try tree(depth: depth + 1)) } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "]"), "after an element")
        return elements
    }
}
