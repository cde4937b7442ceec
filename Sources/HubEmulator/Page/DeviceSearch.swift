/// Finds phones: those with the newest activity first, then the others by their ids. Looks at an index and never at
/// every device, so that a hundred thousand of them cost no more than sixty.
struct DeviceSearch: Sendable {
    let hubs: [Hub]
    let ledger: Journal

    /// Phones of a filter that are looked at; more are cut off.
    static let mostFound = 2_000

    struct Page: Sendable {
        var keys: [InboxKey]
        /// All that the filter finds, counted up to `mostFound` where there is a filter.
        var total: Int
    }

    func page(_ filter: PhoneFilter, offset: Int, limit: Int) -> Page {
        let hubs = self.hubs.filter { filter.hub == nil || $0.name == filter.hub }
        if filter.isEverybody { return everybody(hubs, offset: offset, limit: limit) }
        let found = hubs.flatMap { matches(filter, at: $0) }
        let stamps = ledger.feed.stamps(of: found)
        let ordered = found.sorted { left, right in
            let (first, second) = (stamps[left] ?? 0, stamps[right] ?? 0)
            return first == second ? left.name < right.name : first > second
        }
        return Page(keys: Array(ordered.dropFirst(offset).prefix(limit)), total: ordered.count)
    }

    func phone(_ key: InboxKey) -> DeviceSummary {
        let hub = hubs.first { $0.name == key.hub }
        let installation = hub?.installation(key.name) ?? hub?.registration(key.name).map { Installation($0) }
        return DeviceSummary(key, installation, count: ledger.inboxCount(of: key))
    }

    private func everybody(_ hubs: [Hub], offset: Int, limit: Int) -> Page {
        let end = offset + limit
        var active: [(stamp: Int, key: InboxKey)] = []
        var silent: [InboxKey] = []
        var total = 0
        var activeCount = 0
        for hub in hubs {
            active += ledger.feed.active(hub: hub.name, limit: end)
            activeCount += ledger.feed.activeCount(hub: hub.name)
        }
        active.sort { $0.stamp > $1.stamp }
        var keys = active.dropFirst(offset).prefix(limit).map(\.key)
        var skipped = max(0, offset - activeCount)
        for hub in hubs {
            let devices = hub.devices
            total += devices.count
            for id in devices where keys.count + silent.count < limit {
                let key = InboxKey.device(id, hub: hub.name)
                if ledger.feed.isActive(key) { continue }
                if skipped > 0 { skipped -= 1 } else { silent.append(key) }
            }
        }
        keys += silent
        return Page(keys: keys, total: max(total, activeCount))
    }

    /// Every index is asked for a part, and the parts have to agree.
    private func matches(_ filter: PhoneFilter, at hub: Hub) -> [InboxKey] {
        var found: Set<InboxKey>?
        if let tag = filter.tag {
            let devices = hub.devices(tag: tag)
            // The newest of a crowd are what somebody wants to see.
            var some = Set(devices.prefix(Self.mostFound).map { InboxKey.device($0, hub: hub.name) })
            if devices.count > Self.mostFound {
                let active = ledger.feed.active(hub: hub.name, limit: Self.mostFound) { devices.contains($0.name) }
                some.formUnion(active.map(\.key))
            }
            found = some
        }
        guard let text = filter.text else { return Array(found ?? []) }
        if let found {
            return found.filter { key in
                key.name.lowercased().contains(text.lowercased())
                    || ledger.inbox(of: key).contains { $0.says(text) }
            }
        }
        return Array(named(text, at: hub).union(saying(text, at: hub)))
    }

    /// By the beginning of its id, by its user, or by a tag.
    private func named(_ text: String, at hub: Hub) -> Set<InboxKey> {
        let devices = hub.devices
        let first = devices.partitioningIndex { $0 >= text }
        var ids = Set(devices[first...].prefix { $0.hasPrefix(text) }.prefix(Self.mostFound))
        for tag in [text, "$UserId:{\(text)}"] { ids.formUnion(hub.devices(tag: tag).prefix(Self.mostFound)) }
        return Set(ids.map { .device($0, hub: hub.name) })
    }

    /// By what arrived there of late.
    private func saying(_ text: String, at hub: Hub) -> Set<InboxKey> {
        let arrivals = ledger.feed.arrivals(after: ledger.feed.last.order - Self.mostFound)
        return Set(arrivals.filter { $0.hub == hub.name && ($0.says(text) || $0.handle == text) }.map(\.key))
    }
}

/// Which phones somebody wants to see. nil: no matter.
struct PhoneFilter: Sendable, Equatable {
    /// As it was set up.
    var hub: String?
    var tag: String?
    /// The beginning of an id, a user, a tag, or something in a notification.
    var text: String?

    var isEverybody: Bool { tag == nil && text == nil }
}
