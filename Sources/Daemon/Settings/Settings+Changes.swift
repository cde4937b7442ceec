extension Settings {
    /// What another set of settings would change.
    struct Changes: Sendable, Equatable {
        /// Dotted keys whose values differ, in the order of the key table; a hub that came or went is one key.
        var keys: [String] = []
        /// Those of them that wait for a restart.
        var waiting: [String] = []

        var isEmpty: Bool { keys.isEmpty }
        /// Whether workers have to begin anew for it; the log's level changes without.
        var needsNewShift: Bool { keys.contains { !waiting.contains($0) && $0 != "log.level" } }
    }

    /// Compares values, not where they come from.
    func changes(to other: Settings) -> Changes {
        var changes = Changes()
        for key in Settings.keys where key.differs(self, other) {
            changes.keys.append(key.name)
            if key.change == .restart { changes.waiting.append(key.name) }
        }
        for name in Set(hubs.keys).union(other.hubs.keys).sorted() {
            guard let before = hubs[name], let after = other.hubs[name] else {
                changes.keys.append("hubs.\(name)")
                continue
            }
            let locales = Set(before.settings.languages.keys).union(after.settings.languages.keys).sorted()
            for key in HubConfiguration.keys + locales.map(HubConfiguration.language) where key.differs(before, after) {
                changes.keys.append("hubs.\(name).\(key.name)")
            }
        }
        return changes
    }
}

/// When a new value of a key takes effect.
public enum SettingChange: String, Sendable {
    /// With `systemctl reload` or SIGHUP.
    case reload
    /// When the process starts.
    case restart
}
