import ArgumentParser
import Configuration

/// What a shell offers from the settings that the command would read: nothing if they cannot be read.
enum SettingsCompletion {
    @Sendable static func hubs(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        settings(words)?.hubs.keys.sorted() ?? []
    }

    /// `dispatch.batch=`, and the keys of a hub or a person for each one there is.
    @Sendable static func keys(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        let settings = settings(words)
        let hubs = settings?.hubs.keys.sorted() ?? []
        let people = settings?.console.users.keys.sorted() ?? []
        return Settings.reference().flatMap { key in
            guard key.key.contains(".NAME.") else { return [key.key] }
            let names = key.key.hasPrefix("hubs.") ? hubs : people
            return names.map { key.key.replacing(".NAME.", with: ".\($0).") }
        }
        .filter { !$0.hasSuffix(".LOCALE") }.map { "\($0)=" }
    }

    private static func settings(_ words: [String]) -> Settings? {
        // The loss is meant: a person who asks for a completion is typing, and an error there helps nobody.
        try? Settings.load(file: file(in: words), scope: .database)
    }

    /// What stands behind `--config`.
    private static func file(in words: [String]) -> String? {
        if let joined = words.last(where: { $0.hasPrefix("--config=") }) { return String(joined.dropFirst(9)) }
        guard let option = words.lastIndex(of: "--config"), option + 1 < words.count else { return nil }
        return words[option + 1]
    }
}

extension CompletionKind {
    /// The hubs of the settings.
    package static let hub = CompletionKind.custom(SettingsCompletion.hubs)
    /// The keys of the settings.
    static let setting = CompletionKind.custom(SettingsCompletion.keys)
}
