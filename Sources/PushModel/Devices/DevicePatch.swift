/// What one patch changes, or several that are joined: the arguments of `push.patch_device`.
///
/// Every value is absolute, so repeating a patch does no harm.
public struct DevicePatch: Sendable, Equatable {
    /// nil: stays.
    public private(set) var handle: String?
    /// nil: stays.
    public private(set) var userID: String?
    /// In the order in which they were first named. Tags that differ only in case are one.
    public private(set) var tags: [TagChange]
    /// By name, in the order in which they were first named.
    public private(set) var templates: [TemplateChange]

    public struct TagChange: Sendable, Equatable {
        public var tag: String
        public var isAdded: Bool
    }

    public struct TemplateChange: Sendable, Equatable {
        public let name: String
        /// The JSON text of an object; nil: the template is removed.
        public var json: String?
    }

    /// - Throws: `InvalidDeviceDocument` naming the argument that cannot be read.
    public init(json: String) throws(InvalidDeviceDocument) {
        let document = try DeviceDocument(json: json)
        handle = try document.text("handle")
        userID = try document.text("user_id")
        tags = try document.texts("remove_tags").map { TagChange(tag: $0, isAdded: false) }
        tags += try document.texts("add_tags").map { TagChange(tag: $0, isAdded: true) }
        templates = try document.templates().map { TemplateChange(name: $0.name, json: $0.json) }
    }

    /// Both as one patch: where they say different things, the later one counts.
    public func followed(by later: DevicePatch) -> DevicePatch {
        var joined = self
        joined.handle = later.handle ?? handle
        joined.userID = later.userID ?? userID
        for change in later.tags {
            if let index = joined.tags.firstIndex(where: { $0.tag.lowercased() == change.tag.lowercased() }) {
                joined.tags[index] = change
            } else {
                joined.tags.append(change)
            }
        }
        for change in later.templates {
            // By bytes, as the hub and the database compare: to Swift `é` equals `e` with U+0301.
            let name = change.name.utf8
            if let index = joined.templates.firstIndex(where: { $0.name.utf8.elementsEqual(name) }) {
                joined.templates[index] = change
            } else {
                joined.templates.append(change)
            }
        }
        return joined
    }

    /// As a patch of Notification Hubs. What is removed comes first.
    public var installationPatch: InstallationPatch {
        var changes = tags.filter { !$0.isAdded }.map { InstallationPatch.Change.removeTag($0.tag) }
        for template in templates {
            // RFC 6901: a tilde and a slash are escaped in a path.
            let name = template.name.replacing(scalars: "~", with: "~0").replacing(scalars: "/", with: "~1")
            let path = "/templates/\(name)"
            changes.append(
                template.json.map { InstallationPatch.Change(.add, path, values: [$0]) }
                    ?? InstallationPatch.Change(.remove, path))
        }
        if let handle { changes.append(InstallationPatch.Change(.replace, "/pushChannel", values: [handle])) }
        if let userID { changes.append(InstallationPatch.Change(.replace, "/userId", values: [userID])) }
        changes += tags.filter(\.isAdded).map { InstallationPatch.Change.addTag($0.tag) }
        return InstallationPatch(changes)
    }
}
