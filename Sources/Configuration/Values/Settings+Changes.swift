import PushModel

extension Settings {
    /// The differences between two sets of settings.
    package struct Changes: Sendable, Equatable {
        /// Dotted keys whose values differ, in the order of the key table; an added or removed hub or person is one key.
        package internal(set) var keys: [String] = []
        /// The keys among them that need a restart.
        package internal(set) var waiting: [String] = []

        package var isEmpty: Bool { keys.isEmpty }
        /// Hubs that both have and that changed in something.
        package internal(set) var hubs: Set<String> = []
        /// Why a worker with the first settings cannot go on with the others; empty: it can.
        package internal(set) var refusals: [SettingsProblem] = []
        /// Whether a reload has to start a new worker.
        package internal(set) var needsNewWorker = false

        fileprivate mutating func add(_ key: String, takingEffect change: SettingChange) {
            keys.append(key)
            switch change {
            case .restart: waiting.append(key)
            case .live: break
            case .reload, .never: needsNewWorker = true
            }
        }
    }

    /// Compares the values, not their sources.
    package func changes(to other: Settings) -> Changes {
        var changes = Changes()
        for key in Settings.keys where key.differs(self, other) {
            changes.add(key.name, takingEffect: key.change)
        }
        addUsers(of: other, to: &changes)
        for name in Set(hubs.keys).union(other.hubs.keys).sorted() {
            guard let before = hubs[name], let after = other.hubs[name] else {
                changes.add("hubs.\(name)", takingEffect: .reload)
                continue
            }
            if before.settings.kind != after.settings.kind {
                changes.refusals.append(.otherKind(of: after.settings, than: before.settings.kind))
            }
            let locales = Set(before.settings.languages.keys).union(after.settings.languages.keys).sorted()
            for key in HubConfiguration.keys + locales.map(HubConfiguration.language) where key.differs(before, after) {
                changes.add("hubs.\(name).\(key.name)", takingEffect: key.change)
                changes.hubs.insert(name)
            }
        }
        return changes
    }

    private func addUsers(of other: Settings, to changes: inout Changes) {
        let (users, others) = (console.users, other.console.users)
        for name in Set(users.keys).union(others.keys).sorted() {
            guard let before = users[name], let after = others[name] else {
                changes.add("console.users.\(name)", takingEffect: .live)
                continue
            }
            for key in ConsoleUser.keys where key.differs(before, after) {
                changes.add("console.users.\(name).\(key.name)", takingEffect: key.change)
            }
        }
    }
}

extension SettingsProblem {
    /// Messages are checked when they are written, by the rules of the kind that the hub has then.
    fileprivate static func otherKind(of hub: HubSettings, than before: HubKind) -> SettingsProblem {
        SettingsProblem(
            key: "hubs.\(hub.name).kind", found: "is \(hub.kind.rawValue), and was \(before.rawValue)",
            rule: "a hub keeps its kind: what waits for it was written for that service",
            remedy: "Set it back to \(before.rawValue), and add a hub of another name for \(hub.kind.rawValue)")
    }
}

/// When a new value of a key takes effect.
public enum SettingChange: String, Sendable {
    /// With `systemctl reload` or SIGHUP.
    case reload
    /// At the same time, and the worker goes on: none has to begin with it.
    case live
    /// When the process starts.
    case restart
    /// Never: a reload with another value is refused, and so is the registration.
    case never
}
