/// Changes of one installation: the part of JSON Patch (RFC 6902) that Notification Hubs takes
/// (docs/wire/notification-hubs.md, "Installations").
public struct InstallationPatch: Sendable, Equatable {
    public struct Change: Sendable, Equatable {
        public enum Operation: String, Sendable {
            case add, replace, remove
        }

        public let operation: Operation
        /// A JSON pointer: `/tags`, `/templates/news/body`.
        public let path: String
        /// Texts; a template is its JSON text. Several only for a list of tags; none for `remove`.
        public private(set) var values: [String]

        public init(_ operation: Operation, _ path: String, values: [String] = []) {
            self.operation = operation
            self.path = path
            self.values = values
        }

        public static func addTag(_ tag: String) -> Change { Change(.add, "/tags", values: [tag]) }
        public static func removeTag(_ tag: String) -> Change { Change(.remove, "/tags/\(tag)") }

        /// The path's parts, unescaped (RFC 6901): `~1` is a slash; `~0`, which comes second, is a tilde.
        public var steps: [String] {
            Substring(path.unicodeScalars.dropFirst()).split(scalar: "/", omittingEmptySubsequences: false).map {
                $0.replacing(scalars: "~1", with: "/").replacing(scalars: "~0", with: "~")
            }
        }
    }

    public let changes: [Change]

    public init(_ changes: [Change]) { self.changes = changes }

    /// JSON, UTF-8.
    public var json: [UInt8] {
        var bytes: [UInt8] = []
        func append(_ text: String) {
            bytes.append(UInt8(ascii: "\""))
            JSONText.append(text, to: &bytes)
            bytes.append(UInt8(ascii: "\""))
        }
        for (index, change) in changes.enumerated() {
            bytes += (index == 0 ? "[" : ",").utf8
            bytes += #"{"op":"\#(change.operation.rawValue)","path":"#.utf8
            append(change.path)
            if change.values.count == 1 {
                bytes += #","value":"#.utf8
                append(change.values[0])
            } else if change.operation != .remove {
                bytes += #","value":["#.utf8
                for (index, value) in change.values.enumerated() {
                    if index > 0 { bytes.append(UInt8(ascii: ",")) }
                    append(value)
                }
                bytes.append(UInt8(ascii: "]"))
            }
            bytes.append(UInt8(ascii: "}"))
        }
        bytes += (changes.isEmpty ? "[]" : "]").utf8
        return bytes
    }
}

// Reading JSON.
extension InstallationPatch {
    /// Reads a JSON list of `{"op", "path", "value"}`.
    ///
    /// - Parameter isHandwritten: takes `op` in any case, and refuses two things that the service takes: a list of
    ///   tags, and members that RFC 6902 ignores, because they are typing errors.
    /// - Throws: `InvalidPatch` with the first malformed operation. What path and value mean is not checked.
    public init(json bytes: some Collection<UInt8>, isHandwritten: Bool = false) throws(InvalidPatch) {
        // Windows editors write a byte order mark.
        let text = Array(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...])
        guard case .array(let nodes)? = (try? JSONNode(text))?.value else {
            throw InvalidPatch(rule: "must be a JSON array of operations")
        }
        var changes: [Change] = []
        for (index, node) in nodes.enumerated() {
            changes.append(try Change(node, at: index, isHandwritten: isHandwritten))
        }
        self.init(changes)
    }
}

extension InstallationPatch.Change {
    fileprivate init(_ node: JSONNode, at index: Int, isHandwritten: Bool) throws(InvalidPatch) {
        guard case .object(let members) = node.value else {
            throw InvalidPatch(index: index, rule: "must be an object")
        }
        if isHandwritten,
            let odd = members.map(\.name).sorted().first(where: { !["op", "path", "value"].contains($0) })
        {
            throw InvalidPatch(index: index, member: odd, rule: "is unknown: an operation has op, path and value")
        }
        func member(_ name: String) -> JSONNode? { members.first { $0.name == name }?.node }
        let name = member("op")?.text.map { isHandwritten ? $0.lowercased() : $0 }
        guard let operation = name.flatMap(Operation.init) else {
            throw InvalidPatch(index: index, member: "op", rule: "must be one of add, remove, replace")
        }
        guard let path = member("path")?.text, path.utf8.first == UInt8(ascii: "/") else {
            throw InvalidPatch(index: index, member: "path", rule: "must be a text that begins with a slash")
        }
        self.init(operation, path)
        if operation == .remove { return }
        if let text = member("value")?.text {
            values = [text]
        } else if let texts = member("value")?.texts, steps.last == "tags", !isHandwritten {
            values = texts
        } else {
            throw InvalidPatch(
                index: index, member: "value", rule: "must be a text; a template is given as its JSON text")
        }
    }
}

extension JSONNode {
    fileprivate var text: String? {
        if case .string(let text) = value { text } else { nil }
    }

    /// nil: not a list, or a list with something other than a text.
    fileprivate var texts: [String]? {
        guard case .array(let nodes) = value else { return nil }
        let texts = nodes.compactMap(\.text)
        return texts.count == nodes.count ? texts : nil
    }
}

/// Why a text is not a patch: `op must be one of add, remove, replace`.
public struct InvalidPatch: Error, Equatable {
    /// The operation, counted from 0; nil: the whole text.
    public var index: Int?
    /// The operation's member; nil: the operation itself.
    public var member: String?
    public var rule: String
}
