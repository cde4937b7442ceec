extension JSONScanner {
    /// Passes over one value and everything in it. Checks it as `node` does, but for the UTF-8 of strings, and builds nothing.
    ///
    /// - Parameter depth: arrays and objects around it.
    package mutating func skip(depth: Int = 0) throws(JSONError) {
        switch next() {
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "{"):
            try enter(depth: depth)
            if take(UInt8(ascii: "}")) { return }
            repeat {
                _ = try name()
                try skip(depth: depth + 1)
            } while take(UInt8(ascii: ","))
            try expect(UInt8(ascii: "}"), "after a member", "a comma or }")
        case UInt8(ascii: "["):
            try enter(depth: depth)
            if take(UInt8(ascii: "]")) { return }
            repeat { try skip(depth: depth + 1) } while take(UInt8(ascii: ","))
            try expect(UInt8(ascii: "]"), "after an element", "a comma or ]")
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): try number()
        case nil: throw error("it ends where a value should be", expected: "a value")
        default: throw error("this is not a JSON value", expected: "a value")
        }
    }

    /// Goes behind the bracket at `at`.
    ///
    /// - Parameter depth: arrays and objects around it.
    package mutating func enter(depth: Int) throws(JSONError) {
        guard depth < depthLimit else {
            throw error("it is nested deeper than \(depthLimit)", expected: "no more than \(depthLimit) levels")
        }
        pass()
    }
}
