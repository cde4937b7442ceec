/// The settings of one hub: the values of `hubs.<name>` in config.json (docs/configuration.md), without secrets.
public struct HubSettings: Sendable, Equatable {
    /// The name backends write into `push.message.hub`. 1 to 63 characters of a-z, 0-9, `_`, `-`.
    public var name: String
    /// The service that it sends through. Default: `notificationHubs`. Setting another one sets `packTags` to what is
    /// usual there.
    public var kind = HubKind.notificationHubs {
        didSet { if kind != oldValue { packTags = kind.facts.packs } }
    }
    /// The hub's own name at the service. Default: `name`. Only where the service has hubs (`notificationHubs`).
    public var hub: String
    /// The project at the service that posts are sent for. Only where the service has projects (`fcm`); empty elsewhere.
    /// Default: the project of the service account; empty where the account is not known (`fanfare migrate up`).
    public var project = ""
    /// The app that pushes are for: its bundle id. Only for kind `apns`. Default: nil, the one that the client certificate names,
    /// which APNs itself finds.
    public var topic: String?
    /// Which of Apple's services. Only for kind `apns`. Default: `production`.
    public var environment = APNsEnvironment.production
    /// Where the service is, as `https://host[:port]`, or, for kind `fcm`, `http://` on loopback. Only for kinds `fcm` and
    /// `apns`. Default: nil, the service's own address, which its provider knows.
    public var endpoint: String?
    public var localization = Localization.properties
    /// Locale (BCP 47) to the language word used in property names: `"fr": "French"`. Default: empty.
    public var languages: [String: String] = [:]
    /// The name of a localised property; contains `{property}` and `{language}` once each.
    public var propertyPattern = "{property}_{language}"
    /// The locale whose translation replaces those a content lacks. Default: none.
    public var fallback: String?
    /// Whether the fallback translation is also sent under the unsuffixed names.
    public var plainFallback = true
    /// How long a keyed content waits for its translations. 0 to 60,000 ms.
    public var settleMilliseconds = 500
    /// How long a `content_key` is remembered: a later translation is refused. 1 to 8,760 hours.
    public var contentKeyHours = 24
    /// How long a `dedupe_key` is remembered. 1 to 8,760 hours.
    public var dedupeHours = 168
    /// Whether each `tenant` has content and dedupe keys of its own. Default: all tenants of the hub share one set.
    public var keysPerTenant = false
    /// Whether contents with the same body may share one post to `a || b`, or to the handles of several devices. Default:
    /// as usual for the kind.
    public var packTags = true
    /// Whether a row with `broadcast` may be sent to every device.
    public var allowBroadcast = false
    /// Whether the tags of rows are topics (setting `tags`: `topics`). Only where the kind has topics. Default: a tag is
    /// refused there.
    public var tagsAreTopics = false
    /// The topic that a broadcast goes to where the kind has topics. Default: no broadcasts there.
    public var broadcastTopic: String?
    public var onDoubt = OnDoubt.hold
    /// What 500 and 503 mean. Only for kind `fcm`. Default: `retry`.
    public var unavailable = Unavailable.retry
    /// The tag that a device has of its time zone, with `{zone}` in place of its name, in which `_` stands for `/`:
    /// `tz:{zone}` means `tz:Europe_Paris`. For local delivery to tags. Default: devices have no such tag.
    public var zoneTag: String?
    /// Default life of a message from its `send_at`. 1 to 2,592,000 s (30 days).
    public var expireAfterSeconds = 86_400
    /// Posts in flight at most. 1 to 512.
    public var window = 64
    /// Posts per second at most, 0: no limit. 0 to 100,000.
    public var ratePerSecond = 0
    /// Seconds over which the posts per second grow to `ratePerSecond` after a minute without any. 0 to 3,600; 0: they do
    /// not grow, the whole rate holds at once. Only for kind `fcm`, where Google advises 60
    /// (firebase.google.com/docs/cloud-messaging/scale-fcm).
    public var rampSeconds = 0
    /// Changes of devices in flight at most. 1 to 512.
    public var deviceWindow = 8

    public init(name: String, hub: String? = nil, kind: HubKind = .notificationHubs) {
        self.name = name
        self.hub = hub ?? name
        self.kind = kind
        packTags = kind.facts.packs
    }
}

/// Where the language of a content goes (docs/storage.md, "Plan").
public enum Localization: String, Sendable, CaseIterable {
    /// One post carries every language as properties `title_French`, `title_English`.
    case properties
    /// One post per locale, to `(tag) && locale_fr`.
    case tags
}

/// Which of Apple's two push services, whose device tokens are apart.
public enum APNsEnvironment: String, Sendable, CaseIterable {
    /// Apps from the App Store and TestFlight.
    case production
    /// Apps that Xcode has put on a phone.
    case sandbox
}

/// What it means that the service answers 500 or 503.
public enum Unavailable: String, Sendable, CaseIterable {
    /// The message was not sent, and is sent again later.
    case retry
    /// It may have been sent, as deliveries after such an answer have been seen: the message is in doubt.
    case doubt
}
