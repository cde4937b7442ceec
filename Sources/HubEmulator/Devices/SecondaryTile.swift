/// A further tile of a Windows app, pinned to the start screen, with its own channel, tags and templates
/// (Installation.cs of azure-notificationhubs-dotnet).
public struct SecondaryTile: Sendable, Hashable, Codable {
    /// The WNS URI of the tile.
    public var pushChannel: String
    /// Only the tile's own tags: those of the installation do not apply.
    public var tags: [String]?
    public var templates: [String: Installation.Template]?

    public init(pushChannel: String, tags: [String]? = nil, templates: [String: Installation.Template]? = nil) {
        self.pushChannel = pushChannel
        self.tags = tags
        self.templates = templates
    }
}
