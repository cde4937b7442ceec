import PushModel

extension JSONNode {
    var isContainer: Bool {
        switch value {
        case .object, .array: true
        default: false
        }
    }

    /// nil: it is no object.
    var members: [JSONValue.Member]? { if case .object(let members) = value { members } else { nil } }

    /// nil: it is no string.
    var text: String? { if case .string(let text) = value { text } else { nil } }

    /// Whether two values are the same JSON: members in any order, numbers as they were written.
    func isSame(as other: JSONNode) -> Bool {
        switch (value, other.value) {
        case (.object(let mine), .object(let theirs)):
            guard mine.count == theirs.count else { return false }
            func sorted(_ members: [JSONValue.Member]) -> [JSONValue.Member] {
                members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            }
            return zip(sorted(mine), sorted(theirs)).allSatisfy {
                $0.name.isExactly($1.name) && $0.node.isSame(as: $1.node)
            }
        case (.array(let mine), .array(let theirs)):
            return mine.count == theirs.count && zip(mine, theirs).allSatisfy { $0.isSame(as: $1) }
        case (.string(let mine), .string(let theirs)): return mine.isExactly(theirs)
        case (.number(let mine), .number(let theirs)): return mine == theirs
        case (.bool(let mine), .bool(let theirs)): return mine == theirs
        case (.null, .null): return true
        default: return false
        }
    }
}

extension String {
    /// Character by character, where `==` takes é and e with an accent for one.
    func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
