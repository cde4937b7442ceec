/// What one HTTP/2 connection carries now, for people who look into a worker.
public struct HTTP2Facts: Sendable, Equatable {
    /// `https://host:port`
    public var origin: String
    /// Requests on their way.
    public var streams: Int
    /// What the server allows; nil: its SETTINGS have not come.
    public var allowed: Int?
    /// Requests since it was opened.
    public var carried: Int
    public var ageSeconds: Double
    /// It takes no more requests, and closes when the last one has ended.
    public var isRetired: Bool
}
