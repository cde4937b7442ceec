/// Finds devices: those with the newest pushes first, then the others by id. It uses indexes and never scans all devices,
/// so that a hundred thousand cost no more than sixty.
struct DeviceFinder: Sendable {
    let hubs: [Hub]
    let journal: Journal

    /// The most devices that a filter considers; further ones are ignored.
    static let maximumMatches = 2_000

    /// The most devices of a hub whose ids are all compared with a text.
    private static let searchedIDs = 10_000

    /// Whether a text finds an inbox by its id, its device's user or its tag.
    func isNamed(_ key: InboxKey, by text: String) -> Bool {
        if key.name.lowercased().contains(text.lowercased()) { return true }
        guard case .device(let id) = key.owner, let hub = hubs.first(where: { $0.name == key.hub }) else {
            return false
        }
        return [text, "$UserId:{\(text)}"].contains { hub.device(id, hasTag: $0) }
    }

    struct Page: Sendable {
        var keys: [InboxKey]
        /// The number of matching devices; with a filter, counted up to `maximumMatches`.
        var total: Int
    }

    func page(_ filter: DeviceFilter, offset: Int, limit: Int) -> Page {
        let hubs = self.hubs.filter { filter.hub == nil || $0.name == filter.hub }
        if filter.matchesAllDevices { return allDevices(hubs, offset: offset, limit: limit) }
        let matching = hubs.flatMap { matches(filter, at: $0) }
        let stamps = journal.feed.stamps(of: matching)
        let ordered = matching.sorted { left, right in
            let (first, second) = (stamps[left] ?? 0, stamps[right] ?? 0)
            return first == second ? left.name < right.name : first > second
        }
        return Page(keys: Array(ordered.dropFirst(offset).prefix(limit)), total: ordered.count)
    }

    func summary(of key: InboxKey) -> DeviceSummary {
        let hub = hubs.first { $0.name == key.hub }
        let installation = hub?.installation(key.name) ?? hub?.registration(key.name).map { Installation($0) }
        return DeviceSummary(key, installation, count: journal.inboxCount(of: key))
    }

    private func allDevices(_ hubs: [Hub], offset: Int, limit: Int) -> Page {
        let end = offset + limit
        var active: [(stamp: Int, key: InboxKey)] = []
        var silent: [InboxKey] = []
        var total = 0
        var activeCount = 0
        for hub in hubs {
            active += journal.feed.active(hub: hub.name, limit: end)
            activeCount += journal.feed.activeCount(hub: hub.name)
        }
        active.sort { $0.stamp > $1.stamp }
        var keys = active.dropFirst(offset).prefix(limit).map(\.key)
        var skipped = max(0, offset - activeCount)
        for hub in hubs {
            let devices = hub.devices
            total += devices.count
            for id in devices where keys.count + silent.count < limit {
                let key = InboxKey.device(id, hub: hub.name)
                if journal.feed.isActive(key) { continue }
                if skipped > 0 { skipped -= 1 } else { silent.append(key) }
            }
        }
        keys += silent
        return Page(keys: keys, total: max(total, activeCount))
    }

    /// Intersects what the indexes find for tag and text.
    private func matches(_ filter: DeviceFilter, at hub: Hub) -> [InboxKey] {
        var tagged: Set<InboxKey>?
        if let tag = filter.tag {
            let devices = hub.devices(tag: tag)
            // Of a large group include the devices with the newest pushes.
            var candidates = Set(devices.prefix(Self.maximumMatches).map { InboxKey.device($0, hub: hub.name) })
            if devices.count > Self.maximumMatches {
                let active = journal.feed.active(hub: hub.name, limit: Self.maximumMatches) {
                    devices.contains($0.name)
                }
                candidates.formUnion(active.map(\.key))
            }
            tagged = candidates
        }
        guard let text = filter.text else { return Array(tagged ?? []) }
        if let tagged {
            return tagged.filter { key in
                key.name.lowercased().contains(text.lowercased())
                    || journal.inbox(of: key).contains { $0.contains(text) }
            }
        }
        return Array(named(text, at: hub).union(containing(text, at: hub)))
    }

    /// Devices whose id contains the text, in any case, or whose user or tag it is. In a large hub the id has to begin
    /// with it.
    private func named(_ text: String, at hub: Hub) -> Set<InboxKey> {
        let devices = hub.devices
        var ids: Set<String>
        if devices.count <= Self.searchedIDs {
            ids = Set(devices.filter { $0.lowercased().contains(text.lowercased()) })
        } else {
            let first = devices.partitioningIndex { $0 >= text }
            ids = Set(devices[first...].prefix { $0.hasPrefix(text) }.prefix(Self.maximumMatches))
        }
        for tag in [text, "$UserId:{\(text)}"] { ids.formUnion(hub.devices(tag: tag).prefix(Self.maximumMatches)) }
        return Set(ids.map { .device($0, hub: hub.name) })
    }

    /// Devices with a recent push that contains the text.
    private func containing(_ text: String, at hub: Hub) -> Set<InboxKey> {
        let recent = journal.feed.pushes(after: journal.feed.last.order - Self.maximumMatches)
        return Set(recent.filter { $0.hub == hub.name && ($0.contains(text) || $0.handle == text) }.map(\.key))
    }
}

/// Selects devices. nil: any.
struct DeviceFilter: Sendable, Equatable {
    /// The name as configured.
    var hub: String?
    var tag: String?
    /// A part of an id, a user, a tag, or a part of a notification.
    var text: String?

    var matchesAllDevices: Bool { tag == nil && text == nil }
}
