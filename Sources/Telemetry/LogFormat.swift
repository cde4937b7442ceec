/// How log lines look: `log.format` in config.json.
public enum LogFormat: String, Sendable, CaseIterable {
    /// Text when standard error is a terminal, JSON otherwise. The default.
    case auto
    /// For a person: time, level, logger, message, `key=value`.
    case text
    /// For a machine: one JSON object per line.
    case json

    /// The form that is really written; never `.auto`.
    public func resolved(onTerminal: Bool) -> LogFormat {
        self == .auto ? (onTerminal ? .text : .json) : self
    }
}
