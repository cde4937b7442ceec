import ArgumentParser
import PushModel

/// Whom a message is for: the same options wherever a message is made.
struct TargetOptions: ParsableArguments {
    @Option(
        name: [.long, .customLong("tags-expr")], help: "A tag, or a tag expression such as 'news && !muted'.")
    var tag: String?

    @Option(
        name: .customLong("handle"),
        help:
            "A device by the handle its platform gave it; needs a native --format. Repeatable, as far as the hub takes more."
    )
    var handles: [String] = []

    @Flag(help: "To everyone; the hub must allow it.") var broadcast = false

    /// The options that were given.
    var given: [(name: String, isGiven: Bool)] {
        [("--tag", tag != nil), ("--handle", !handles.isEmpty), ("--broadcast", broadcast)]
    }

    /// - Throws: `ValidationError` unless exactly one of the three is there.
    func check() throws {
        guard given.count(where: \.isGiven) == 1 else {
            throw ValidationError("Give exactly one of --tag, --handle and --broadcast.")
        }
        // Which kind of hub it is, nobody knows here; that kind may take fewer.
        let limit = HubKind.allCases.map(\.facts.handles).max() ?? 1
        guard handles.count <= limit else {
            throw ValidationError("There are \(handles.count) --handle, at most \(limit) are allowed.")
        }
    }

    /// Whom it is for; only after `check`.
    var target: Target {
        if let tag { return .tag(tag) }
        return handles.isEmpty ? .broadcast : .handles(handles)
    }
}
