import ArgumentParser
import Configuration

/// What a shell offers from the settings that the command would read: nothing if they cannot be read.
enum SettingsCompletion {
    @Sendable static func hubs(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        // The loss is meant: a person who asks for a completion is typing, and an error there helps nobody.
        let settings = try? Settings.load(file: file(in: words), scope: .database)
        return settings?.hubs.keys.sorted() ?? []
    }

    /// `dispatch.batch=`, and the keys of a hub for each one there is.
    @Sendable static func keys(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        let hubs = hubs(words, index, prefix)
        return Settings.reference().flatMap { key in
            key.key.contains(".NAME.") ? hubs.map { key.key.replacing(".NAME.", with: ".\($0).") } : [key.key]
        }
        .filter { !$0.hasSuffix(".LOCALE") }.map { "\($0)=" }
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
