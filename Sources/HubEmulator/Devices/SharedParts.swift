import PushModel

/// The parts of a device that a send can reach: the device itself in its platform's own format, each of its templates,
/// and the same for each of its tiles. Thousands of devices with the same templates share one instance.
final class SharedParts: Sendable {
    struct Part: Sendable {
        /// Unique among the device's parts, and part of its registration's id; nil: the device itself.
        let key: String?
        /// The template's name.
        let name: String?
        /// nil: in the platform's own format.
        let template: SharedTemplate?
        /// The name of the secondary tile it belongs to.
        let tile: String?
        /// In lower case, in addition to those of the device; a tile has only these.
        let tags: [String]
    }

    /// In order of key, as registrations are listed.
    let all: [Part]
    /// As registered: the copy that all devices share.
    let templates: [String: Installation.Template]?

    init(_ all: [Part], templates: [String: Installation.Template]?) {
        self.all = all
        self.templates = templates
    }

    /// What two devices must have in common to share an instance.
    struct Key: Hashable, Sendable {
        let platform: Installation.Platform
        let templates: [String: Installation.Template]?
        let tiles: [String: SecondaryTile]?
    }

    /// - Parameter compile: makes a registered template ready to render.
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
                        tags: tags + (template.tags ?? [name]).map { $0.lowercased() }))
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

    /// No template's name is empty or begins with a NUL, so these keys are unique and come first.
    private static func key(tile: String, template: String?) -> String { "\u{0}\(tile)\u{0}\(template ?? "")" }
}
