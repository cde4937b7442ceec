/// A device as the page and `GET /_emulator/phones` show it.
public struct DeviceSummary: Sendable, Equatable, Codable {
    public var hub: String
    /// The id of the installation or registration; for a handle without a device, the handle.
    public var id: String
    /// A direct send used this handle, and no device has it.
    public var isHandle = false
    /// It has an inbox but is no longer registered.
    public var isUnregistered = false
    public var user: String?
    public var platform: Installation.Platform?
    /// Guessed from its tags or templates.
    public var language: String?
    var languageCode: String?
    /// Its own tags as written, without those that the service derives.
    public var tags: [String] = []
    /// At an FCM sender.
    public var topics: [String] = []
    /// Names, in alphabetical order.
    public var templates: [String] = []
    /// The number of pushes in its inbox.
    public var count = 0

    private enum CodingKeys: String, CodingKey {
        case hub, id, isHandle
        case isUnregistered = "isGone"
        case user, platform, language, tags, topics, templates, count
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
                isUnregistered = true
                return
            }
            user = installation.userId
            platform = installation.platform
            tags = installation.tags ?? []
            topics = installation.topics ?? []
            templates = (installation.templates ?? [:]).keys.sorted()
            let language = DeviceLanguage(of: installation)
            self.language = language?.text
            languageCode = language?.code
        }
    }

    var key: InboxKey { isHandle ? .handle(id, hub: hub) : .device(id, hub: hub) }
}
