/// Something that keeps messages from being sent, or soon will, or that waits for a person.
struct Problem: Sendable, Equatable {
    enum Severity: Int, Sendable, Comparable, CaseIterable {
        /// Messages are not sent, or soon will not be.
        case critical
        /// Somebody has to look today.
        case warning
        /// Nothing is wrong: it waits for somebody's decision.
        case decision

        static func < (one: Severity, other: Severity) -> Bool { one.rawValue < other.rawValue }
    }

    /// Where in the console there is more about it. `path` is of a page, with its fields.
    struct Link: Sendable, Equatable {
        var path: [String]
        var fields: [String: String] = [:]
        /// As the page is called: `Hub news`.
        var name: String

        static func hub(_ name: String) -> Link { Link(path: ["hubs", name], name: "Hub \(name)") }

        static func failures(of hub: String) -> Link {
            Link(path: ["failures"], fields: ["hub": hub], name: "Failures of \(hub)")
        }

        static func campaign(_ name: String) -> Link { Link(path: ["campaigns", name], name: "Campaign \(name)") }

        static func run(_ key: String, of campaign: String) -> Link {
            Link(path: ["campaigns", campaign, "runs", key], name: "Run \(key)")
        }
    }

    var kind: Kind
    var severity: Severity
    /// Since when, seconds since 1970; nil: not known.
    var since: Double?
    /// In a few words: `Hub news is held`.
    var what: String
    /// In words, with those of the hub, the worker or the server.
    var why: String
    /// What a person does about it.
    var todo: String
    var link: Link?
    /// The hub that it is about; nil: it is about something else.
    var hub: String?
}
