import PushModel

/// A button that a person pressed on an emulated phone, with what the app gets of it.
public struct ButtonPress: Sendable, Equatable, Codable {
    /// 1, 2, 3 ... over all phones.
    public var press: Int
    /// Seconds since 1970, by the emulator's clock.
    public var at: Double
    public var hub: String
    /// The phone. nil: no phone is registered with the handle.
    public var device: String?
    public var handle: String?
    /// The button's id: the app's `actionIdentifier`.
    public var action: String
    public var title: String
    /// The app's `categoryIdentifier`.
    public var category: String?
    /// What was written (`userText`). nil: the button takes no text.
    public var text: String?
    /// Whether the app comes to the foreground.
    public var opensApp: Bool
    /// The push with the button; the app gets its payload.
    public var push: ReceivedPush

    /// The inbox that the push is in.
    var key: InboxKey {
        if let device { .device(device, hub: hub) } else { .handle(handle ?? "", hub: hub) }
    }
}

/// Presses buttons of pushes in inboxes.
struct ButtonPresses: Sendable {
    let journal: Journal
    let clock: EmulatorClock

    /// - Parameters:
    ///   - action: the button's id.
    ///   - number: of the push's send; nil: the newest push in the inbox that has the button.
    ///   - text: what was written; needed for a button with a text, ignored for others.
    /// - Throws: `EmulatorError` for a push or a button that there is not.
    func press(_ action: String, on key: InboxKey, number: Int?, text: String?) throws(EmulatorError) -> ButtonPress {
        let inbox = journal.inbox(of: key)
        func has(_ push: ReceivedPush) -> Bool { push.buttons?.contains { $0.id == action } ?? false }
        guard let push = inbox.last(where: { number == nil ? has($0) : $0.number == number }) else {
            throw EmulatorError(
                number.map { "the inbox of \(key.name) has no push of the send \($0)" }
                    ?? "no push in the inbox of \(key.name) has the button \(action.quoted)")
        }
        guard let button = push.buttons?.first(where: { $0.id == action }) else {
            let known = (push.buttons ?? []).map(\.id).joined(separator: ", ")
            throw EmulatorError(
                "the push \(push.number) has no button \(action.quoted): "
                    + (known.isEmpty ? "it has none" : "it has \(known)"))
        }
        if button.textInput != nil, text == nil { throw EmulatorError("the button \(action.quoted) needs a text") }
        var press = ButtonPress(
            press: 0, at: clock.now, hub: key.hub, action: action, title: button.title,
            category: NotificationPreview(push.payload, platform: .apns).category,
            text: button.textInput == nil ? nil : text, opensApp: button.options.contains(.foreground), push: push)
        if case .device(let id) = key.owner { press.device = id }
        press.handle = push.handle
        return journal.feed.record(press)
    }
}
