import Foundation
import PushModel

/// Changes of one installation: the subset of JSON Patch the service takes, `add`, `replace` and `remove`, whose values
/// are always texts. A template is its JSON text.
public struct InstallationPatch: Sendable, Equatable {
    public enum Change: Sendable, Equatable {
        case add(path: String, value: String)
        case replace(path: String, value: String)
        case remove(path: String)

        public static func addTag(_ tag: String) -> Change { .add(path: "/tags", value: tag) }
        public static func removeTag(_ tag: String) -> Change { .remove(path: "/tags/\(tag)") }
    }

    /// Never empty.
    public let changes: [Change]
    /// JSON, UTF-8.
    public let bytes: [UInt8]

    /// - Throws: `InvalidInstallation` when there is no change, a path is none the service knows, or a tag is none.
    public init(_ changes: [Change]) throws(InvalidInstallation) {
        guard !changes.isEmpty else { throw .json("there is no change in it") }
        var operations: [[String: String]] = []
        for (index, change) in changes.enumerated() {
            try Self.check(change, "[\(index)]")
            operations.append(change.members)
        }
        self.changes = changes
        do {
            bytes = Array(
                try JSONSerialization.data(withJSONObject: operations, options: [.sortedKeys, .withoutEscapingSlashes]))
        } catch {
            throw .json("it cannot be written as JSON: \(error)")
        }
    }

    /// Reads a JSON list of `{"op", "path", "value"}`.
    ///
    /// - Throws: `InvalidInstallation` naming the operation at fault.
    public init(json bytes: some Collection<UInt8>) throws(InvalidInstallation) {
        guard let list = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [Any] else {
            throw .json("it is no JSON list of operations")
        }
        var changes: [Change] = []
        for (index, item) in list.enumerated() { changes.append(try Self.change(item, "[\(index)]")) }
        try self.init(changes)
    }

    private static func change(_ item: Any, _ place: String) throws(InvalidInstallation) -> Change {
        guard let members = item as? [String: Any] else { throw .field(place, "it is no object") }
        if let odd = members.keys.sorted().first(where: { !["op", "path", "value"].contains($0) }) {
            throw .field("\(place).\(odd)", "an operation has op, path and value")
        }
        guard let path = members["path"] as? String else { throw .field("\(place).path", "it is missing, or no text") }
        let operation = (members["op"] as? String)?.lowercased()
        if operation == "remove" { return .remove(path: path) }
        guard operation == "add" || operation == "replace" else {
            throw .field("\(place).op", "it is none of add, replace, remove")
        }
        guard let value = members["value"] as? String else {
            throw .field("\(place).value", "it is missing, or no text; a template is its JSON text")
        }
        return operation == "add" ? .add(path: path, value: value) : .replace(path: path, value: value)
    }

    private static let fields: Set = ["/pushChannel", "/tags", "/userId", "/expirationTime"]
    /// Below these stands a name.
    private static let collections = ["/tags/", "/templates/", "/pushVariables/", "/secondaryTiles/"]

    private static func check(_ change: Change, _ place: String) throws(InvalidInstallation) {
        guard
            fields.contains(change.path)
                || collections.contains(where: { change.path.hasPrefix($0) && change.path != $0 })
        else {
            throw .field(
                "\(place).path",
                "it is none of /pushChannel, /tags, /tags/TAG, /templates/NAME, /userId, /expirationTime")
        }
        switch change {
        case .add("/tags", let tag), .replace("/tags", let tag): try check(tag: tag, "\(place).value")
        case .remove(let path) where path.hasPrefix("/tags/"):
            try check(tag: String(path.dropFirst("/tags/".count)), "\(place).path")
        default: break
        }
    }

    private static func check(tag: String, _ place: String) throws(InvalidInstallation) {
        do throws(TagError) {
            _ = try Tag(tag)
        } catch {
            throw .field(place, "\(error)")
        }
    }
}

extension InstallationPatch.Change {
    public var path: String {
        switch self {
        case .add(let path, _), .replace(let path, _), .remove(let path): path
        }
    }

    fileprivate var members: [String: String] {
        switch self {
        case .add(let path, let value): ["op": "add", "path": path, "value": value]
        case .replace(let path, let value): ["op": "replace", "path": path, "value": value]
        case .remove(let path): ["op": "remove", "path": path]
        }
    }
}
