import Foundation

/// The body of `PATCH /{hub}/installations/{id}`: the part of JSON-Patch (RFC 6902) that the service knows.
///
/// Paths: `/pushChannel`, `/userId`, `/expirationTime`, `/pushVariables/{name}`, `/tags`, `/tags/{tag}`, `/templates/{name}` and its `/body`,
/// `/headers`, `/expiry`, `/tags` and `/tags/{tag}`, `/secondaryTiles/{name}` (installations.json, and the service's page on updates).
struct InstallationPatch: Sendable {
    private struct Operation: Sendable {
        enum Kind: String { case add, remove, replace }

        let kind: Kind
        let path: [String]
        /// Several only where tags are added as an array. Empty: there is none.
        let values: [String]
    }

    private let operations: [Operation]

    /// - Throws: `EmulatorError` naming the operation that is not understood.
    init(json: [UInt8]) throws(EmulatorError) {
        // That it is no JSON is all there is to say; the parser's words differ from platform to platform.
        guard let list = (try? JSONSerialization.jsonObject(with: Data(json))) as? [Any] else {
            throw EmulatorError("The patch is no JSON array of operations.")
        }
        var operations: [Operation] = []
        for (index, entry) in list.enumerated() {
            do throws(EmulatorError) {
                operations.append(try Self.operation(entry))
            } catch {
                throw EmulatorError("The operation [\(index)] of the patch is not valid: \(error.description)")
            }
        }
        self.operations = operations
    }

    private static func operation(_ entry: Any) throws(EmulatorError) -> Operation {
        guard let object = entry as? [String: Any] else { throw EmulatorError("it is no object.") }
        guard let kind = (object["op"] as? String).flatMap(Operation.Kind.init) else {
            throw EmulatorError("op must be one of add, remove, replace.")
        }
        guard let pointer = object["path"] as? String, pointer.hasPrefix("/") else {
            throw EmulatorError("path must be a text that begins with a slash.")
        }
        // RFC 6901: ~1 is a slash; ~0, which must come second, is a tilde.
        let path = pointer.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
            String($0).replacing("~1", with: "/").replacing("~0", with: "~")
        }
        if kind == .remove { return Operation(kind: kind, path: path, values: []) }
        switch object["value"] {
        case let text as String: return Operation(kind: kind, path: path, values: [text])
        case let list as [String] where path.last == "tags": return Operation(kind: kind, path: path, values: list)
        default: throw EmulatorError("value must be a text; a template is given as its JSON text.")
        }
    }

    /// All of it or nothing.
    ///
    /// - Throws: `EmulatorError` naming the operation that cannot be done. Whether the outcome is an installation that
    ///   may be is not looked at here.
    func applied(to installation: Installation) throws(EmulatorError) -> Installation {
        var changed = installation
        for (index, operation) in operations.enumerated() {
            do throws(EmulatorError) {
                try Self.apply(operation, to: &changed)
            } catch {
                throw EmulatorError("The operation [\(index)] of the patch cannot be done: \(error.description)")
            }
        }
        return changed
    }

    private static func apply(_ operation: Operation, to installation: inout Installation) throws(EmulatorError) {
        let value = operation.values.first
        switch (operation.path.first, operation.path.count) {
        case ("pushChannel", 1):
            guard let value else { throw EmulatorError("a device cannot be without a pushChannel.") }
            installation.pushChannel = .handle(value)
        case ("userId", 1): installation.userId = value
        case ("expirationTime", 1): installation.expirationTime = value
        case ("pushVariables", 2):
            installation.pushVariables = installation.pushVariables ?? [:]
            installation.pushVariables?[operation.path[1]] = value
            if installation.pushVariables?.isEmpty == true { installation.pushVariables = nil }
        case ("secondaryTiles", 2):
            let tile = try value.map { value throws(EmulatorError) in
                try decode(SecondaryTile.self, value, "a secondary tile is given as its JSON text")
            }
            installation.secondaryTiles = installation.secondaryTiles ?? [:]
            installation.secondaryTiles?[operation.path[1]] = tile
            if installation.secondaryTiles?.isEmpty == true { installation.secondaryTiles = nil }
        case ("tags", 1...2):
            installation.tags = try tags(installation.tags, after: operation, at: 1)
        case ("templates", 2...):
            let name = operation.path[1]
            let template = try Self.template(installation.templates?[name], after: operation)
            installation.templates = installation.templates ?? [:]
            installation.templates?[name] = template
            if installation.templates?.isEmpty == true { installation.templates = nil }
        default:
            throw EmulatorError("there is no such path.")
        }
    }

    /// Tags are a set: what is there already is not added again, and what is not there is gone already.
    private static func tags(
        _ present: [String]?, after operation: Operation, at depth: Int
    ) throws(EmulatorError) -> [String]? {
        var tags = present ?? []
        func remove(_ tag: String) { tags.removeAll { $0.lowercased() == tag.lowercased() } }
        switch (operation.kind, operation.path.count > depth) {
        case (.remove, false): tags = []
        case (.remove, true): remove(operation.path[depth])
        case (.replace, false): tags = []
        case (.replace, true): remove(operation.path[depth])
        case (.add, false): break
        case (.add, true): throw EmulatorError("a tag is added at the path of all tags.")
        }
        for tag in operation.values {
            remove(tag)
            tags.append(tag)
        }
        return tags.isEmpty ? nil : tags
    }

    /// - Returns: nil when it is taken away.
    private static func template(
        _ present: Installation.Template?, after operation: Operation
    ) throws(EmulatorError) -> Installation.Template? {
        let value = operation.values.first
        guard operation.path.count > 2 else {
            guard let value else { return nil }
            return try decode(Installation.Template.self, value, "a template is given as its JSON text")
        }
        guard var template = present else { throw EmulatorError("there is no template \(operation.path[1]).") }
        switch (operation.path[2], operation.path.count) {
        case ("body", 3):
            guard let value else { throw EmulatorError("a template cannot be without a body.") }
            template.body = value
        case ("headers", 3):
            template.headers = try value.map { value throws(EmulatorError) in
                try decode([String: String].self, value, "headers are given as the JSON text of an object of texts")
            }
        case ("expiry", 3): template.expiry = value
        case ("tags", 3...4): template.tags = try tags(template.tags, after: operation, at: 3)
        default: throw EmulatorError("there is no such path.")
        }
        return template
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type, _ text: String, _ rule: String
    ) throws(EmulatorError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch let error as DecodingError {
            throw EmulatorError("\(rule): \(error.inOneLine).")
        } catch {
            throw EmulatorError("\(rule).")
        }
    }
}
