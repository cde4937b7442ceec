/// One push in one inbox, with whose it is.
public struct InboxPush: Sendable, Equatable, Codable {
    /// 1, 2, 3 ... over all inboxes, in the order in which they arrived. Never given twice.
    public var order: Int
    public var hub: String
    /// The device that shows it; nil: no device is registered with the handle it was sent to.
    public var device: String?
    /// The handle a direct or batch send named; nil: tags chose the device.
    public var handle: String?
    public var push: ReceivedPush

    /// Whose inbox it is in.
    var key: InboxKey {
        if let device { .device(device, hub: hub) } else { .handle(handle ?? "", hub: hub) }
    }

    /// Whether title, body or payload say so, whatever the case; an empty text is everywhere.
    func says(_ text: String) -> Bool { push.says(text) }
}

extension ReceivedPush {
    /// As `InboxPush.says`.
    func says(_ text: String) -> Bool {
        text.isEmpty || payload.lowercased().contains(text.lowercased())
            || [alert?.title, alert?.body].contains { $0?.lowercased().contains(text.lowercased()) ?? false }
    }
}
