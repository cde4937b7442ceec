import ArgumentParser
import Signing

/// A shared access policy on the command line: `backend:send`, `app:listen+manage:KEY`.
struct PolicyOption: ExpressibleByArgument {
    let policy: SASPolicy

    /// nil: no name, an unknown right, or an empty key.
    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 2, !parts[0].isEmpty else { return nil }
        var rights: Set<Right> = []
        for word in parts[1].lowercased().split(separator: "+", omittingEmptySubsequences: false) {
            guard let right = Right(rawValue: String(word)) else { return nil }
            rights.insert(right)
        }
        if parts.count == 3, parts[2].isEmpty { return nil }
        guard let key = parts.count == 3 ? Secret(parts[2]) : EmulatorPlan.wellKnownKey else { return nil }
        policy = SASPolicy(name: parts[0], key: key, rights: rights)
    }
}
