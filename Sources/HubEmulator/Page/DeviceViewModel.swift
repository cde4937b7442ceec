import Pages
import PushModel
import Signing

/// One device for the page's templates, which draw it as a device. Names are unique across all views of a page, because a
/// template looks up a missing name in the surrounding views.
struct DeviceViewModel: Sendable {
    let deviceKey: String
    let deviceId: String
    let deviceHub: String
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
    let devicePhone: ScreenView

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
        deviceKind = ScreenView.kind(of: device.platform)
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
        deviceField = device.formField
        let collection = device.isHandle ? "handles" : "devices"
        deviceInbox = "/_emulator/\(collection)/\(device.id.urlEncoded)/inbox?hub=\(device.hub.urlEncoded)"
        devicePhone = ScreenView(
            device.id, platform: device.platform,
            cards: inbox.prefix(Self.shownCards).map {
                CardView($0, on: device, strings: strings, presses: presses)
            })
    }

    /// The key by which the page's script finds a device.
    static func key(_ key: InboxKey) -> String {
        switch key.owner {
        case .device(let id): "\(key.hub)/device/\(id)"
        case .handle(let handle): "\(key.hub)/handle/\(handle)"
        }
    }
}

extension DeviceSummary {
    /// The name of a form's field that has its id.
    fileprivate var formField: String { isHandle ? "handle" : "device" }
}

extension CardView {
    /// - Parameters:
    ///   - strings: the texts of the app on the device.
    ///   - presses: of buttons of its pushes.
    init(
        _ push: ReceivedPush, on device: DeviceSummary, strings: StringsFile? = nil, presses: [ButtonPress] = []
    ) {
        let preview = NotificationPreview(
            push.payload, platform: device.platform,
            texts: PhoneTexts(strings: strings, language: device.languageCode))
        let pressed = presses.last { $0.push.number == push.number }.map { press in
            press.title + (press.text.map { ": \($0.prefix(200))" } ?? "")
        }
        self.init(
            push.number, preview, payload: push.payload, app: device.hub, language: device.languageCode, time: push.at,
            template: push.template, missing: push.missing, form: ButtonFormView(push, on: device), pressed: pressed,
            link: "/_emulator/page/sends/\(push.number)")
    }
}

extension ButtonFormView {
    /// nil: no button can be pressed.
    fileprivate init?(_ push: ReceivedPush, on device: DeviceSummary) {
        guard let buttons = push.buttons, !buttons.isEmpty else { return nil }
        self.init(
            address: "/_emulator/page/press",
            fields: [("hub", device.hub), (device.formField, device.id), ("number", "\(push.number)")],
            placeholder: buttons.lazy.compactMap(\.textInput).first.map { $0.placeholder ?? "Message" },
            buttons: buttons.map { ButtonView($0) })
    }
}

extension ButtonFormView.ButtonView {
    fileprivate init(_ button: NotificationButton) {
        var hints = [button.options.contains(.foreground) ? "opens the app" : "the app stays in the background"]
        if button.options.contains(.authenticationRequired) { hints.append("the phone has to be unlocked first") }
        if button.textInput != nil { hints.append("sends the text") }
        self.init(
            id: button.id, title: button.textInput?.buttonTitle.map { "\(button.title) (\($0))" } ?? button.title,
            look: button.options.contains(.destructive) ? "destructive" : "", hint: hints.joined(separator: ", "))
    }
}

extension String {
    /// For a path segment or a query value.
    var urlEncoded: String { PercentEncoding.encode(self) }
}
