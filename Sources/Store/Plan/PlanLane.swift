import Foundation
import Postgres
import PushModel

/// A hub in one priority class, with what the database says about the hub.
public struct PlanLane: Sendable, Equatable {
    /// The number of the hub: `push.hub.id`.
    public var hub: Int32
    public var priority: Priority
    /// As registered: of a worker that runs with others, `push.hub_health.note` says so. Without what is not registered
    /// (`HubSettings.project`, `topic`).
    public var settings: HubSettings
    /// As `push.hub_health.state`: `open`, `failing`, `gate closed`, `held`, `paused`, `no pass`; `removed`: the hub is not
    /// registered any more, and nothing is sent.
    public var state: String
    /// Why it is not open.
    public var why: String?
    /// When that began, in seconds since 1970.
    public var since: Double?
    /// Pointers of paused runs, which are not due before somebody resumes them; 10,000 at most.
    public var parked: Int32

    public init(
        hub: Int32, priority: Priority, settings: HubSettings, state: String = "open", why: String? = nil,
        since: Double? = nil, parked: Int32 = 0
    ) {
        (self.hub, self.priority, self.settings) = (hub, priority, settings)
        (self.state, self.why, self.since, self.parked) = (state, why, since, parked)
    }

    init(_ row: inout Row) throws {
        hub = try row.int32()
        priority = Priority(rawValue: try row.int16()) ?? .normal
        state = try row.string()
        why = try row.stringOrNil()
        since = try row.timestampOrNil()?.secondsSince1970
        parked = try row.int32()
        settings = try HubSettings(registered: &row)
    }
}

extension HubSettings {
    /// What is registered of a hub, in columns and as JSON.
    fileprivate init(registered row: inout Row) throws {
        // A kind that a newer build has registered is planned as the first one: its own build sends it.
        self.init(name: try row.string(), kind: HubKind(rawValue: try row.string()) ?? .notificationHubs)
        localization = Localization(rawValue: try row.string()) ?? .properties
        let names = try row.stringArray()
        fallback = try row.stringOrNil()
        allowBroadcast = try row.bool()
        onDoubt = OnDoubt(rawValue: try row.string()) ?? .hold
        tagsAreTopics = try row.bool()
        broadcastTopic = try row.stringOrNil()
        let known = try JSONDecoder().decode(Registered.self, from: Data(try row.string().utf8))
        // Of a hub that push.add_hub added only the columns are known.
        languages = known.languages ?? Dictionary(names.map { ($0, $0) }) { first, _ in first }
        hub = known.hub ?? hub
        propertyPattern = known.propertyPattern ?? propertyPattern
        plainFallback = known.plainFallback ?? plainFallback
        settleMilliseconds = known.settleMilliseconds ?? settleMilliseconds
        contentKeyHours = known.contentKeyHours ?? contentKeyHours
        dedupeHours = known.dedupeHours ?? dedupeHours
        keysPerTenant = known.keysPerTenant ?? keysPerTenant
        packTags = known.packTags ?? packTags
        zoneTag = known.zoneTag
        expireAfterSeconds = known.expireAfterSeconds ?? expireAfterSeconds
        window = known.window ?? window
        ratePerSecond = known.ratePerSecond ?? ratePerSecond
        rampSeconds = known.rampSeconds ?? rampSeconds
        deviceWindow = known.deviceWindow ?? deviceWindow
        environment = known.environment.flatMap(APNsEnvironment.init(rawValue:)) ?? environment
        endpoint = known.endpoint
        unavailable = known.unavailable.flatMap(Unavailable.init(rawValue:)) ?? unavailable
    }

    /// `push.hub.settings`, as `HubSettings` encodes them; what a column has too is left out.
    private struct Registered: Decodable {
        var hub: String?
        var languages: [String: String]?
        var propertyPattern: String?
        var plainFallback: Bool?
        var settleMilliseconds: Int?
        var contentKeyHours: Int?
        var dedupeHours: Int?
        var keysPerTenant: Bool?
        var packTags: Bool?
        var zoneTag: String?
        var expireAfterSeconds: Int?
        var window: Int?
        var ratePerSecond: Int?
        var rampSeconds: Int?
        var deviceWindow: Int?
        var environment: String?
        var endpoint: String?
        var unavailable: String?
    }
}
