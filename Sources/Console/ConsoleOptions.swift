/// What the console of an installation is called, and where it is.
public struct ConsoleOptions: Sendable, Hashable {
    /// In titles, headers and every confirmation, so that production is not taken for a test: `production`. Empty (default): none.
    public var name = ""
    /// In front of every address, without a slash at its end: `/pushes`. Empty (default): none.
    public var basePath = ""
    /// Nobody can change anything. Default false.
    public var isReadOnly = false
    /// How long each part of a page may read, in seconds. Default 2.
    public var statementSeconds = 2
    /// Of the program: `1.4.0`.
    public var version = ""
    /// The settings in effect, in the order in which they are shown. Default: none are known.
    public var settings: [SettingLine] = []
    /// What stands beside the console: the health of the daemon, documents. Default: nothing.
    public var links: [ConsoleLink] = []

    public init() {}
}
