import PushModel

/// What one device can be reached as: itself in its platform's own format, each of its templates, and the same for each
/// of its tiles. Thousands of devices have the same few templates, and then share one of these.
final class SharedParts: Sendable {
    struct Part: Sendable {
        /// Tells it from the device's other parts, and stands in its registration's id; nil: the device itself.
        let key: String?
        /// The template's name.
        let name: String?
        /// nil: in the platform's own format.
        let template: SharedTemplate?
        /// The name of the secondary tile it belongs to.
        let tile: String?
        /// In lower case, beside those of the device. A tile has these alone.
        let tags: [String]
    }

    /// In the order of their keys, as registrations are listed.
    let all: [Part]
    /// As registered: the one copy that all who have the same keep.
    let templates: [String: Installation.Template]?

    init(_ all: [Part], templates: [String: Installation.Template]?) {
        self.all = all
        self.templates = templates
    }

    /// What two devices must have alike to share.
    struct Key: Hashable, Sendable {
        let platform: Installation.Platform
        let templates: [String: Installation.Template]?
        let tiles: [String: SecondaryTile]?
    }

    /// - Parameter compile: makes a registered template ready to render, or says why it is none.
    static func parts(
        of installation: Installation,
        compile: (_ template: Installation.Template, _ name: String) throws(EmulatorError) -> SharedTemplate
    ) throws(EmulatorError) -> [Part] {
        var parts = [Part(key: nil, name: nil, template: nil, tile: nil, tags: [])]
        func add(
            _ templates: [String: Installation.Template]?, tile: String?, tags: [String]
        ) throws(EmulatorError) {
            for (name, template) in templates ?? [:] {
                parts.append(
                    Part(
                        key: tile.map { key(tile: $0, template: name) } ?? name, name: name,
                        template: try compile(template, name), tile: tile,
                        tags: tags + (template.tags ?? Installation.ownTags(name)).map { $0.lowercased() }))
            }
        }
        try add(installation.templates, tile: nil, tags: [])
        for (tile, content) in installation.secondaryTiles ?? [:] {
            let tags = (content.tags ?? []).map { $0.lowercased() }
            parts.append(
                Part(
                    key: key(tile: tile, template: nil), name: nil, template: nil, tile: tile,
                    tags: tags))
            try add(content.templates, tile: tile, tags: tags)
        }
        return parts.sorted { ($0.key ?? "") < ($1.key ?? "") }
    }

    /// No template has an empty name or a NUL in front, so these come first and are nobody else's.
    private static func key(tile: String, template: String?) -> String { "\u{0}\(tile)\u{0}\(template ?? "")" }
}
