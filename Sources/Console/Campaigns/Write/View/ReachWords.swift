import PushModel

/// How many devices the tags of an audience have at its hubs, in sentences. Pure.
enum ReachWords {
    /// - Parameter now: seconds since 1970.
    static func lines(_ hubs: [SpecLook.Hub], at now: Double) -> [String] {
        hubs.flatMap { hub in
            let name = hub.previews.hub
            return hub.reach.map { expression, known in
                guard let known else {
                    let command = "fanfare tag reach \(ShellText.word(expression)) --hub \(ShellText.word(name))"
                    return "\(name): \(expression) has not been counted (\(command))"
                }
                return "\(name): \(known.text(asOf: now))"
            }
        }
    }
}
