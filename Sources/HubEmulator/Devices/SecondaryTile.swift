/// A further tile of a Windows app, pinned to the start screen: it has a channel, tags and templates of its own
/// (Installation.cs of azure-notificationhubs-dotnet).
public struct SecondaryTile: Sendable, Hashable, Codable {
    /// The WNS URI of the tile.
    public var pushChannel: String
    /// Tags of the tile alone; those of the installation are not its own.
    public var tags: [String]?
    public var templates: [String: Installation.Template]?

    public init(pushChannel: String, tags: [String]? = nil, templates: [String: Installation.Template]? = nil) {
        self.pushChannel = pushChannel
        self.tags = tags
        self.templates = templates
    }
}
