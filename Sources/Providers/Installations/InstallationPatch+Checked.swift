import PushModel

/// Patches that are checked before they leave.
extension InstallationPatch {
    /// - Throws: `InvalidInstallation` when there is no change, the service does not know a path, or a tag is invalid.
    public init(checking changes: [Change]) throws(InvalidInstallation) {
        guard !changes.isEmpty else { throw .json("there is no change in it") }
        for (index, change) in changes.enumerated() { try Self.check(change, "[\(index)]") }
        self.init(changes)
    }

    /// Reads a JSON list of `{"op", "path", "value"}`.
    ///
    /// - Throws: `InvalidInstallation` naming the operation at fault.
    public init(checking json: some Collection<UInt8>) throws(InvalidInstallation) {
        let patch: InstallationPatch
        do throws(InvalidPatch) {
            patch = try InstallationPatch(json: json, isHandwritten: true)
        } catch {
            guard let index = error.index else { throw .json("it \(error.rule)") }
            throw .field("[\(index)]" + (error.member.map { ".\($0)" } ?? ""), "it \(error.rule)")
        }
        try self.init(checking: patch.changes)
    }

    private static let fields: Set = ["/pushChannel", "/tags", "/userId", "/expirationTime"]
    /// A name follows.
    private static let collections = ["/tags/", "/templates/", "/pushVariables/", "/secondaryTiles/"]

    private static func check(_ change: Change, _ place: String) throws(InvalidInstallation) {
        guard
            fields.contains(change.path)
                || collections.contains(where: { change.path.utf8.starts(with: $0.utf8) && change.path != $0 })
        else {
            throw .field(
                "\(place).path",
                "it must be one of /pushChannel, /tags, /tags/TAG, /templates/NAME, /userId, /expirationTime")
        }
        if change.operation != .remove, change.path == "/tags" {
            for tag in change.values { try check(tag: tag, "\(place).value") }
        } else if change.operation == .remove, change.path.utf8.starts(with: "/tags/".utf8) {
            try check(tag: String(change.path.unicodeScalars.dropFirst("/tags/".count)), "\(place).path")
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
