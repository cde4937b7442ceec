/// What the database gets of a hub's settings, as `push.hub.settings`.
///
/// Only the settings of the hub's kind, under their names in config.json, so that a kind that comes later changes nothing
/// at the hubs that are registered already: every worker compares this text with the registered one, and a key more would
/// make all of them report settings that differ. Not `project` and `topic`, and no secret: without those settings
/// the project is known only where the service account is, and the topic where the certificate is, and `fanfare migrate up` runs where no secrets are.
extension HubSettings: Encodable {
    private enum Key: String, CodingKey {
        case name, kind, hub, environment, endpoint, localization, languages, propertyPattern, fallback, plainFallback
        case settleMilliseconds, contentKeyHours, dedupeHours, keysPerTenant, packTags, allowBroadcast, tags
        case broadcastTopic, onDoubt, unavailable, zoneTag, expireAfterSeconds, window, ratePerSecond, rampSeconds
        case deviceWindow
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(name, forKey: .name)
        try members.encode(kind.rawValue, forKey: .kind)
        try members.encode(localization.rawValue, forKey: .localization)
        try members.encode(languages, forKey: .languages)
        try members.encodeIfPresent(fallback, forKey: .fallback)
        try members.encode(settleMilliseconds, forKey: .settleMilliseconds)
        try members.encode(contentKeyHours, forKey: .contentKeyHours)
        try members.encode(dedupeHours, forKey: .dedupeHours)
        try members.encode(keysPerTenant, forKey: .keysPerTenant)
        try members.encode(packTags, forKey: .packTags)
        try members.encode(allowBroadcast, forKey: .allowBroadcast)
        try members.encode(onDoubt.rawValue, forKey: .onDoubt)
        try members.encodeIfPresent(zoneTag, forKey: .zoneTag)
        try members.encode(expireAfterSeconds, forKey: .expireAfterSeconds)
        try members.encode(window, forKey: .window)
        try members.encode(ratePerSecond, forKey: .ratePerSecond)
        if kind.facts.takesTemplates {
            try members.encode(propertyPattern, forKey: .propertyPattern)
            try members.encode(plainFallback, forKey: .plainFallback)
        }
        if kind.facts.keepsDevices { try members.encode(deviceWindow, forKey: .deviceWindow) }
        if kind.facts.tag == .topics {
            if tagsAreTopics { try members.encode("topics", forKey: .tags) }
            try members.encodeIfPresent(broadcastTopic, forKey: .broadcastTopic)
        }
        switch kind {
        case .notificationHubs: try members.encode(hub, forKey: .hub)
        case .fcm:
            try members.encodeIfPresent(endpoint, forKey: .endpoint)
            try members.encode(unavailable.rawValue, forKey: .unavailable)
            try members.encode(rampSeconds, forKey: .rampSeconds)
        case .apns:
            try members.encode(environment.rawValue, forKey: .environment)
            try members.encodeIfPresent(endpoint, forKey: .endpoint)
        }
    }
}
