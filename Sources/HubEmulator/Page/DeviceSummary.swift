/// A device as the page and `GET /_emulator/phones` show it.
public struct DeviceSummary: Sendable, Equatable, Codable {
    public var hub: String
    /// The installation's id; for a handle nobody registered, the handle.
    public var id: String
    /// A direct send named its handle and no device has it.
    public var isHandle = false
    /// It has an inbox and is registered no more.
    public var isGone = false
    public var user: String?
    public var platform: Installation.Platform?
    /// Guessed from its tags or templates.
    public var language: String?
    var languageCode: String?
    /// Its own, as written; not those the service derives.
    public var tags: [String] = []
    /// Names, in alphabetical order.
    public var templates: [String] = []
    /// Pushes in its inbox.
    public var count = 0

    private enum CodingKeys: String, CodingKey {
        case hub, id, isHandle, isGone, user, platform, language, tags, templates, count
    }

    init(_ key: InboxKey, _ installation: Installation?, count: Int) {
        hub = key.hub
        self.count = count
        switch key.owner {
        case .handle(let handle):
            id = handle
            isHandle = true
        case .device(let device):
            id = device
            guard let installation else {
                isGone = true
                return
            }
            user = installation.userId
            platform = installation.platform
            tags = installation.tags ?? []
            templates = (installation.templates ?? [:]).keys.sorted()
            let language = DeviceLanguage(of: installation)
            self.language = language?.text
            languageCode = language?.code
        }
    }

    var key: InboxKey { isHandle ? .handle(id, hub: hub) : .device(id, hub: hub) }
}
