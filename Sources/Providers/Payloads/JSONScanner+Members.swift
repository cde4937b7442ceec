import PushModel

/// A member whose value may be an object.
enum ObjectPart: Equatable {
    case absent
    /// - start: where its first member stands, or would stand.
    case object(start: Int, isEmpty: Bool)
    /// Not an object: the service judges it.
    case other
}

extension JSONScanner {
    /// Reads an object member by member.
    ///
    /// - Parameters:
    ///   - depth: arrays and objects around it.
    ///   - areHeaders: whether its names are those of headers. Default: false.
    ///   - body: called behind each name; passes over the value.
    mutating func members(
        depth: Int, areHeaders: Bool = false, _ body: (inout JSONScanner, MemberName) throws(JSONError) -> Void
    ) throws(JSONError) -> ObjectPart {
        guard next() == UInt8(ascii: "{") else {
            try skip(depth: depth)
            return .other
        }
        try enter(depth: depth)
        let start = at
        if take(UInt8(ascii: "}")) { return .object(start: start, isEmpty: true) }
        repeat {
            let raw = try name()
            try body(&self, MemberName(raw, in: bytes, isHeader: areHeaders))
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"), "after a member", "a comma or }")
        return .object(start: start, isEmpty: false)
    }

    /// Passes over a value.
    ///
    /// - Returns: whether it is written like this.
    mutating func skips(_ value: StaticString, depth: Int) throws(JSONError) -> Bool {
        _ = next()
        let start = at
        try skip(depth: depth)
        return value.equals(start..<at, of: bytes)
    }
}
