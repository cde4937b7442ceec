/// Selects pushes from the inboxes. Empty: every push.
struct InboxFilter: Sendable {
    let since: Int
    private let devices: DeviceFilter
    private let device: String?
    private let handle: String?
    private let hubs: [String: Hub]

    /// - Parameters:
    ///   - devices: its `text` is searched in the push.
    ///   - since: a journal number: only pushes of later sends match.
    init(_ devices: DeviceFilter, device: String?, handle: String?, since: Int, query: HubQuery) {
        self.devices = devices
        self.device = device
        self.handle = handle
        self.since = since
        hubs = query.hubs
    }

    func matches(_ entry: InboxPush) -> Bool {
        guard entry.push.number > since else { return false }
        if let hub = devices.hub, entry.hub != hub { return false }
        if let device, entry.device != device { return false }
        if let handle, entry.handle != handle { return false }
        if let text = devices.text, !entry.contains(text) { return false }
        guard let tag = devices.tag else { return true }
        guard let device = entry.device else { return false }
        return hubs[entry.hub.lowercased()]?.device(device, hasTag: tag) ?? false
    }
}
