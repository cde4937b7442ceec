/// What a recipient has of its own: one flat JSON object, of which texts use some members. The others are never read,
/// so they cannot cause a refusal and are not sent.
struct OwnProperties: Sendable {
    enum Value: Sendable {
        /// As it is written between quotation marks: of a string its text, of a number or boolean the word itself.
        case text(ArraySlice<UInt8>)
        /// For people: `an array`.
        case unusable(String)
    }

    private let bytes: [UInt8]
    private var names: [Range<Int>] = []
    private var values: [Range<Int>] = []

    /// - Parameter text: the column `content` of a recipient's message.
    /// - Throws: when it is no JSON object.
    init(_ text: String) throws(Unsendable) {
        bytes = Array(text.utf8)
        var scanner = JSONScanner(bytes)
        do throws(JSONError) {
            try scanner.expectObject()
            _ = scanner.take(UInt8(ascii: "{"))
            if scanner.take(UInt8(ascii: "}")) { return }
            repeat {
                names.append(try scanner.name())
                _ = scanner.next()
                let start = scanner.at
                try scanner.skipValue()
                values.append(start..<scanner.at)
            } while scanner.take(UInt8(ascii: ","))
            try scanner.expect(UInt8(ascii: "}"), "after a value", "a comma or }")
        } catch {
            throw Unsendable("content", nil, "character \(error.position): \(error.rule)")
        }
    }

    /// A member by its name, in any case; of several the last one. nil: no such member, or it is null.
    subscript(name: String) -> Value? {
        let folded = name.utf8.map(\.foldedASCII)
        guard let index = names.indices.last(where: { MemberNames.folded(bytes[names[$0]]) == folded }) else {
            return nil
        }
        let value = bytes[values[index]]
        switch value.first {
        case UInt8(ascii: "\""): return .text(value.dropFirst().dropLast())
        case UInt8(ascii: "n"): return nil
        case UInt8(ascii: "{"): return .unusable("an object")
        case UInt8(ascii: "["): return .unusable("an array")
        default: return .text(value)
        }
    }
}

extension JSONScanner {
    /// Passes over one value of a text that is known to be JSON, however deep it is nested.
    fileprivate mutating func skipValue() throws(JSONError) {
        var depth = 0
        repeat {
            switch next() {
            case UInt8(ascii: "\""): _ = try string()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                pass()
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                pass()
            case UInt8(ascii: "t"): try word("true")
            case UInt8(ascii: "f"): try word("false")
            case UInt8(ascii: "n"): try word("null")
            case UInt8(ascii: ":") where depth > 0, UInt8(ascii: ",") where depth > 0: pass()
            case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): try number()
            default: throw error("this is not a JSON value", expected: "a value")
            }
        } while depth > 0
    }
}
