import Foundation
import PushModel

/// `PATCH /{hub}/installations/{id}`.
///
/// Paths: `/pushChannel`, `/userId`, `/expirationTime`, `/pushVariables/{name}`, `/tags`, `/tags/{tag}`,
/// `/templates/{name}` and its `/body`, `/headers`, `/expiry`, `/tags` and `/tags/{tag}`, `/secondaryTiles/{name}`.
extension InstallationPatch {
    /// - Throws: `EmulatorError` naming the malformed operation.
    init(body: [UInt8]) throws(EmulatorError) {
        do throws(InvalidPatch) {
            try self.init(json: body)
        } catch {
            let fault = "is not valid: \(error.member ?? "it") \(error.rule)."
            throw EmulatorError(
                error.index.map { "The operation [\($0)] of the patch \(fault)" } ?? "The patch \(fault)")
        }
    }

    /// Applies all changes or none. Does not check the installation that comes out.
    ///
    /// - Throws: `EmulatorError` naming the operation that cannot be done.
    func applied(to installation: Installation) throws(EmulatorError) -> Installation {
        var changed = installation
        for (index, change) in changes.enumerated() {
            do throws(EmulatorError) {
                try Self.apply(change, to: &changed)
            } catch {
                throw EmulatorError("The operation [\(index)] of the patch cannot be done: \(error.description)")
            }
        }
        return changed
    }

    private static func apply(_ change: Change, to installation: inout Installation) throws(EmulatorError) {
        let value = change.values.first
        let steps = change.steps
        switch (steps.first, steps.count) {
        case ("pushChannel", 1):
            guard let value else { throw EmulatorError("an installation needs a pushChannel.") }
            installation.pushChannel = PushChannel(value)
        case ("userId", 1): installation.userId = value
        case ("expirationTime", 1): installation.expirationTime = value
        case ("pushVariables", 2): set(value, at: steps[1], in: &installation.pushVariables)
        case ("secondaryTiles", 2):
            let tile = try value.map { value throws(EmulatorError) in
                try decode(SecondaryTile.self, value, "a secondary tile is given as its JSON text")
            }
            set(tile, at: steps[1], in: &installation.secondaryTiles)
        case ("tags", 1...2):
            installation.tags = try tags(installation.tags, after: change, at: 1)
        case ("templates", 2...):
            let name = steps[1]
            let template = try Self.template(installation.templates?[name], after: change)
            set(template, at: name, in: &installation.templates)
        default:
            throw EmulatorError("there is no such path.")
        }
    }

    /// Removes the entry when `value` is nil, and the dictionary when it is empty.
    private static func set<Value>(_ value: Value?, at name: String, in entries: inout [String: Value]?) {
        var changed = entries ?? [:]
        changed[name] = value
        entries = changed.isEmpty ? nil : changed
    }

    /// Tags are a set: adding a present tag or removing an absent one changes nothing.
    private static func tags(
        _ present: [String]?, after change: Change, at depth: Int
    ) throws(EmulatorError) -> [String]? {
        var tags = present ?? []
        let steps = change.steps
        func remove(_ tag: String) { tags.removeAll { $0.lowercased() == tag.lowercased() } }
        switch (change.operation, steps.count > depth) {
        case (.remove, false): tags = []
        case (.remove, true): remove(steps[depth])
        case (.replace, false): tags = []
        case (.replace, true): remove(steps[depth])
        case (.add, false): break
        case (.add, true): throw EmulatorError("a tag is added at the path /tags.")
        }
        for tag in change.values.flatMap(Self.tags(in:)) {
            remove(tag)
            tags.append(tag)
        }
        return tags.isEmpty ? nil : tags
    }

    /// Go's `SetTags` writes a list as its JSON text. No tag begins with a bracket.
    private static func tags(in value: String) -> [String] {
        guard value.hasPrefix("["), let tags = try? JSONDecoder().decode([String].self, from: Data(value.utf8)) else {
            return [value]
        }
        return tags
    }

    /// - Returns: nil when the change removes the template.
    private static func template(
        _ present: Installation.Template?, after change: Change
    ) throws(EmulatorError) -> Installation.Template? {
        let value = change.values.first
        let steps = change.steps
        guard steps.count > 2 else {
            guard let value else { return nil }
            return try decode(Installation.Template.self, value, "a template is given as its JSON text")
        }
        guard var template = present else { throw EmulatorError("there is no template \(steps[1]).") }
        switch (steps[2], steps.count) {
        case ("body", 3):
            guard let value else { throw EmulatorError("a template needs a body.") }
            template.body = value
        case ("headers", 3):
            template.headers = try value.map { value throws(EmulatorError) in
                try decode([String: String].self, value, "headers are given as the JSON text of an object of texts")
            }
        case ("expiry", 3): template.expiry = value
        case ("tags", 3...4): template.tags = try tags(template.tags, after: change, at: 3)
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
