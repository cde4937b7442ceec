/// One push in one inbox, with the owner of the inbox.
public struct InboxPush: Sendable, Equatable, Codable {
    /// 1, 2, 3 ... over all inboxes, in the order of arrival. Never reused.
    public var order: Int
    public var hub: String
    /// The device that shows it. nil: no device is registered with the handle.
    public var device: String?
    /// The handle of a direct or batch send. nil: the device was selected by tags.
    public var handle: String?
    public var push: ReceivedPush

    /// The inbox it is in.
    var key: InboxKey {
        if let device { .device(device, hub: hub) } else { .handle(handle ?? "", hub: hub) }
    }

    /// As `ReceivedPush.contains`.
    func contains(_ text: String) -> Bool { push.contains(text) }
}
