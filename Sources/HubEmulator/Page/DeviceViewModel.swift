import Signing

/// One phone as the page's templates want it: every text ready, nothing to decide. Names are unique over all views of
/// a page, because a template looks a missing one up in whatever surrounds it.
struct DeviceViewModel: Sendable {
    let phoneKey: String
    let phoneId: String
    let phoneHub: String
    let phoneLook: String
    let phoneKind: String
    let phoneUser: String?
    let phoneLanguage: String?
    let phoneTags: [TagView]
    let phoneMoreTags: Int?
    let phoneTemplates: String?
    let phoneNote: String?
    let phoneCount: Int
    let phoneInbox: String
    let hasCards: Bool
    let cards: [CardView]

    struct TagView: Sendable {
        let tagText: String
        let tagLink: String
    }

    /// Notifications shown on a phone; the others are a click away.
    static let shownCards = 6
    private static let shownTags = 8

    /// - Parameter inbox: newest first.
    init(_ phone: DeviceSummary, inbox: [ReceivedPush]) {
        phoneKey = Self.key(phone.key)
        phoneId = phone.id
        phoneHub = phone.hub
        phoneLook = Self.look(of: phone.platform)
        phoneKind = Self.kind(of: phone.platform)
        phoneUser = phone.user
        phoneLanguage = phone.language
        phoneTags = phone.tags.prefix(Self.shownTags).map {
            TagView(tagText: $0, tagLink: "/?hub=\(phone.hub.urlEncoded)&tag=\($0.urlEncoded)")
        }
        phoneMoreTags = phone.tags.count > Self.shownTags ? phone.tags.count - Self.shownTags : nil
        phoneTemplates = phone.templates.isEmpty ? nil : phone.templates.joined(separator: ", ")
        phoneNote = phone.isHandle ? "a handle no device has" : phone.isGone ? "registered no more" : nil
        phoneCount = phone.count
        let place = phone.isHandle ? "handles" : "devices"
        phoneInbox = "/_emulator/\(place)/\(phone.id.urlEncoded)/inbox?hub=\(phone.hub.urlEncoded)"
        cards = inbox.prefix(Self.shownCards).map { CardView($0, on: phone) }
        hasCards = !cards.isEmpty
    }

    /// What the page's script finds a phone by.
    static func key(_ key: InboxKey) -> String {
        switch key.owner {
        case .device(let id): "\(key.hub)/device/\(id)"
        case .handle(let handle): "\(key.hub)/handle/\(handle)"
        }
    }

    static func look(of platform: Installation.Platform?) -> String {
        switch platform {
        case .apns: "ios"
        case .wns, .mpns: "windows"
        case .browser: "web"
        case .fcmV1, .gcm, .adm, .baidu, .xiaomi: "android"
        case nil: "plain"
        }
    }

    private static func kind(of platform: Installation.Platform?) -> String {
        switch platform {
        case .apns: "iPhone"
        case .fcmV1, .gcm: "Android"
        case .adm: "Fire"
        case .baidu: "Android · Baidu"
        case .xiaomi: "Android · Xiaomi"
        case .wns: "Windows"
        case .mpns: "Windows Phone"
        case .browser: "Browser"
        case nil: "Unknown device"
        }
    }
}

/// One notification on a phone.
struct CardView: Sendable {
    let cardNumber: Int
    let cardTime: TimeView
    let cardApp: String
    let cardInitial: String
    let cardHue: Int
    let cardLanguage: String?
    let cardTitle: String?
    let cardSubtitle: String?
    let cardBody: String?
    let cardBadge: String?
    let cardSound: String?
    let cardCategory: String?
    let cardActions: [String]
    let hasActions: Bool
    let cardTemplate: String?
    let cardIsEmpty: Bool
    let cardIsSilent: Bool
    let cardPayload: String

    init(_ shown: ReceivedPush, on phone: DeviceSummary) {
        let card = NotificationPreview(shown.payload, platform: phone.platform)
        cardNumber = shown.number
        cardTime = TimeView(shown.at)
        cardApp = phone.hub
        cardInitial = String(phone.hub.prefix(1)).uppercased()
        cardHue = phone.hub.utf8.reduce(0) { ($0 * 31 + Int($1)) % 8 }
        cardLanguage = phone.languageCode
        cardTitle = card.title?.clipped
        cardSubtitle = card.subtitle?.clipped
        cardBody = card.body?.clipped
        cardBadge = card.badge
        cardSound = card.sound
        cardCategory = card.category
        cardActions = Array(card.actions.prefix(5))
        hasActions = !card.actions.isEmpty
        cardTemplate = shown.template
        cardIsEmpty = card.isEmpty
        cardIsSilent = card.isSilent
        cardPayload = String(shown.payload.prefix(2_000))
    }
}

/// A moment, for people and for the element `time`.
struct TimeView: Sendable {
    /// RFC 3339, UTC; the page's script turns it into the clock of the place.
    let timeStamp: String
    /// `14:02:11`, UTC.
    let timeClock: String

    init(_ secondsSince1970: Double) {
        timeStamp = CivilTime(secondsSince1970: secondsSince1970).internet
        timeClock = String(timeStamp.split(separator: "T").last?.prefix(8) ?? "")
    }
}

extension String {
    /// Nothing longer fits on a phone, and a page of sixty of them has to stay light.
    fileprivate var clipped: String { count > 500 ? prefix(499) + "…" : self }

    /// For a path's segment or a query's value.
    var urlEncoded: String { PercentEncoding.encode(self) }
}
