import PushModel
import Signing

/// One device for the page's templates, which draw it as a device. Names are unique across all views of a page, because a
/// template looks up a missing name in the surrounding views.
struct DeviceViewModel: Sendable {
    let deviceKey: String
    let deviceId: String
    let deviceHub: String
    let deviceLook: String
    let deviceKind: String
    let deviceUser: String?
    let deviceLanguage: String?
    let deviceTags: [TagView]
    let deviceMoreTags: Int?
    let deviceTemplates: String?
    let deviceNote: String?
    let deviceCount: Int
    let deviceInbox: String
    /// The name of the form field with its id.
    let deviceField: String
    let hasCards: Bool
    let cards: [CardView]

    struct TagView: Sendable {
        let tagText: String
        let tagLink: String
    }

    /// Notifications shown on a device; the inbox link leads to the others.
    static let shownCards = 6
    private static let shownTags = 8

    /// - Parameters:
    ///   - inbox: newest first.
    ///   - strings: the texts of the app on it.
    ///   - presses: of buttons of its pushes.
    init(
        _ device: DeviceSummary, inbox: [ReceivedPush], strings: StringsFile? = nil, presses: [ButtonPress] = []
    ) {
        deviceKey = Self.key(device.key)
        deviceId = device.id
        deviceHub = device.hub
        deviceLook = Self.look(of: device.platform)
        deviceKind = Self.kind(of: device.platform)
        deviceUser = device.user
        deviceLanguage = device.language
        let tags = device.topics + device.tags
        deviceTags = tags.prefix(Self.shownTags).map {
            TagView(tagText: $0, tagLink: "/?hub=\(device.hub.urlEncoded)&tag=\($0.urlEncoded)")
        }
        deviceMoreTags = tags.count > Self.shownTags ? tags.count - Self.shownTags : nil
        deviceTemplates = device.templates.isEmpty ? nil : device.templates.joined(separator: ", ")
        deviceNote =
            device.isHandle ? "a handle without a device" : device.isUnregistered ? "no longer registered" : nil
        deviceCount = device.count
        deviceField = device.isHandle ? "handle" : "device"
        let collection = device.isHandle ? "handles" : "devices"
        deviceInbox = "/_emulator/\(collection)/\(device.id.urlEncoded)/inbox?hub=\(device.hub.urlEncoded)"
        cards = inbox.prefix(Self.shownCards).map { CardView($0, on: device, strings: strings, presses: presses) }
        hasCards = !cards.isEmpty
    }

    /// The key by which the page's script finds a device.
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

/// One notification preview.
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
    /// Labels without an effect.
    let cardActions: [String]
    let hasActions: Bool
    /// Those that can be pressed.
    let cardButtons: [ButtonView]
    let hasButtons: Bool
    /// The field for a text, if a button takes one.
    let cardInput: InputView?
    /// The last button pressed.
    let cardPressed: String?
    let cardTemplate: String?
    /// Properties that the template shows and the message lacked.
    let cardMissing: String?
    let cardIsEmpty: Bool
    let cardIsSilent: Bool
    let cardPayload: String

    struct ButtonView: Sendable {
        let buttonID: String
        let buttonTitle: String
        let buttonLook: String
        let buttonHint: String
    }

    struct InputView: Sendable {
        let inputPlaceholder: String
    }

    init(
        _ push: ReceivedPush, on device: DeviceSummary, strings: StringsFile? = nil, presses: [ButtonPress] = []
    ) {
        let preview = NotificationPreview(
            push.payload, platform: device.platform,
            texts: PhoneTexts(strings: strings, language: device.languageCode))
        cardNumber = push.number
        cardTime = TimeView(push.at)
        cardApp = device.hub
        cardInitial = String(device.hub.prefix(1)).uppercased()
        cardHue = device.hub.utf8.reduce(0) { ($0 * 31 + Int($1)) % 8 }
        cardLanguage = device.languageCode
        cardTitle = preview.title?.clipped
        cardSubtitle = preview.subtitle?.clipped
        cardBody = preview.body?.clipped
        cardBadge = preview.badge
        cardSound = preview.sound
        cardCategory = preview.category
        cardButtons = (push.buttons ?? []).map(ButtonView.init)
        hasButtons = !cardButtons.isEmpty
        cardInput = push.buttons?.lazy.compactMap(\.textInput).first.map {
            InputView(inputPlaceholder: $0.placeholder ?? "Message")
        }
        cardPressed = presses.last { $0.push.number == push.number }.map { press in
            press.title + (press.text.map { ": \($0.prefix(200))" } ?? "")
        }
        cardActions = Array(preview.actions.prefix(5))
        hasActions = !preview.actions.isEmpty
        cardTemplate = push.template
        cardMissing = push.missing.map { $0.prefix(5).joined(separator: ", ").clipped }
        cardIsEmpty = preview.isEmpty
        cardIsSilent = preview.isSilent
        cardPayload = String(push.payload.prefix(2_000))
    }
}

extension CardView.ButtonView {
    fileprivate init(_ button: NotificationButton) {
        buttonID = button.id
        buttonTitle = button.textInput?.buttonTitle.map { "\(button.title) (\($0))" } ?? button.title
        buttonLook = button.options.contains(.destructive) ? "destructive" : ""
        var hints = [button.options.contains(.foreground) ? "opens the app" : "the app stays in the background"]
        if button.options.contains(.authenticationRequired) { hints.append("the phone has to be unlocked first") }
        if button.textInput != nil { hints.append("sends the text") }
        buttonHint = hints.joined(separator: ", ")
    }
}

/// A point in time, as text and for the element `time`.
struct TimeView: Sendable {
    /// RFC 3339, UTC; the page's script shows it in local time.
    let timeStamp: String
    /// `14:02:11`, UTC.
    let timeClock: String

    init(_ secondsSince1970: Double) {
        timeStamp = CivilTime(secondsSince1970: secondsSince1970).internet
        timeClock = String(timeStamp.split(separator: "T").last?.prefix(8) ?? "")
    }
}

extension String {
    /// Longer texts do not fit on a device, and a page of sixty devices must stay small.
    fileprivate var clipped: String { count > 500 ? prefix(499) + "…" : self }

    /// For a path segment or a query value.
    var urlEncoded: String { PercentEncoding.encode(self) }
}
