/// One JSON value and its place in the text: a tree for rules about structure.
package struct JSONNode: Equatable {
    /// Its bytes in the text, quotation marks and brackets included.
    package let range: Range<Int>
    package let value: JSONValue

    init(range: Range<Int>, value: JSONValue) {
        self.range = range
        self.value = value
    }

    /// Reads a whole text, UTF-8.
    ///
    /// - Parameter depthLimit: how many arrays and objects may be nested, so that a hostile text cannot
    ///   exhaust the stack.
    /// - Throws: when it is not JSON or nests deeper.
    package init(_ text: [UInt8], depthLimit: Int = 64) throws(JSONError) {
        var scanner = JSONScanner(text, depthLimit: depthLimit)
        self = try scanner.node()
        try scanner.expectEnd(of: "text")
    }
}

package enum JSONValue: Equatable {
    /// In the order written; names may repeat.
    case object([Member])
    case array([JSONNode])
    case string(String)
    /// As written.
    case number(String)
    case bool(Bool)
    case null

    package struct Member: Equatable {
        package let name: String
        /// Where the name begins: its quotation mark.
        let start: Int
        package let node: JSONNode
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
    /// Reads one value and everything in it.
    ///
    /// - Parameter depth: arrays and objects around it.
    mutating func node(depth: Int = 0) throws(JSONError) -> JSONNode {
        let first = next()
        let start = at
        let value = try value(first, depth: depth)
        return JSONNode(range: start..<at, value: value)
    }

    private mutating func value(_ first: UInt8?, depth: Int) throws(JSONError) -> JSONValue {
        switch first {
        case UInt8(ascii: "{"): return .object(try members(depth: depth))
        case UInt8(ascii: "["): return .array(try elements(depth: depth))
        case UInt8(ascii: "\""): return .string(try text(try string()))
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
        case nil: throw error("it ends where a value should be", expected: "a value")
        default: throw error("this is not a JSON value", expected: "a value")
        }
    }

    private mutating func members(depth: Int) throws(JSONError) -> [JSONValue.Member] {
        try open(UInt8(ascii: "{"), depth: depth)
        var members: [JSONValue.Member] = []
        if take(UInt8(ascii: "}")) { return members }
        repeat {
            let raw = try name()
            let name = try text(raw)
            do throws(JSONError) {
                let node = try node(depth: depth + 1)
                members.append(JSONValue.Member(name: name, start: raw.lowerBound - 1, node: node))
            } catch {
                throw error.inside(name, next: "a comma or }")
            }
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"), "after a member", "a comma or }")
        return members
    }

    private mutating func elements(depth: Int) throws(JSONError) -> [JSONNode] {
        try open(UInt8(ascii: "["), depth: depth)
        var elements: [JSONNode] = []
        if take(UInt8(ascii: "]")) { return elements }
        repeat {
            do throws(JSONError) {
                elements.append(try node(depth: depth + 1))
            } catch {
                throw error.inside("[\(elements.count)]", next: "a comma or ]")
            }
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "]"), "after an element", "a comma or ]")
        return elements
    }

    private mutating func open(_ bracket: UInt8, depth: Int) throws(JSONError) {
        guard depth < depthLimit else {
            throw error("it is nested deeper than \(depthLimit)", expected: "no more than \(depthLimit) levels")
        }
        _ = take(bracket)
    }

    /// - Throws: when the bytes are not UTF-8.
    private func text(_ raw: Range<Int>) throws(JSONError) -> String {
        let slice = bytes[raw]
        let plain = slice.contains(UInt8(ascii: "\\")) ? JSONText.unescaped(slice) : slice
        guard let text = String(validating: plain, as: UTF8.self) else {
            throw error("a string is not UTF-8", expected: "UTF-8", at: raw.upperBound)
        }
        return text
    }
}
