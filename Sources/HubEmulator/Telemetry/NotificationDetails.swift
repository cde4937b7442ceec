/// The telemetry of one notification (docs/wire/notification-hubs.md, "Telemetry").
public struct NotificationDetails: Sendable, Equatable, Codable {
    public var notification: String
    /// The address of the send, with `sb://`.
    public var location: String
    /// One of `states`.
    public var state: String
    /// Seconds since 1970, like the other two.
    public var enqueuedAt: Double
    public var startedAt: Double?
    public var endedAt: Double?
    public var body: String?
    /// nil: a broadcast, or a direct send.
    public var tags: String?
    /// `apple`, `appletemplate` ...
    public var targetPlatforms: [String] = []
    /// By platform (`apns`, `fcmv1` ...) and outcome (`Success`, `WrongToken` ...).
    public var counts: [String: [String: Int]] = [:]
    public var errorDetails: String?

    /// Those of the REST reference, and two more of the service's clients, which spell Canceled with two l.
    public static let states = [
        "Abandoned", "Canceled", "Completed", "Enqueued", "NoTargetFound", "Processing", "Scheduled", "Unknown",
        "Cancelled", "DetailedStateAvailable",
    ]

    public static let outcomes = [
        "AbandonedNotificationMessages", "BadChannel", "ChannelDisconnected", "ChannelThrottled", "Dropped",
        "ExpiredChannel", "InvalidCredentials", "InvalidNotificationFormat", "InvalidNotificationSize", "InvalidToken",
        "NoTargets", "PnsInterfaceError", "PnsServerError", "PnsUnavailable", "PnsUnreachable", "Skipped", "Success",
        "Throttled", "TokenProviderInterfaceError", "TokenProviderUnreachable", "UnknownError", "WrongChannel",
        "WrongToken",
    ]

    /// The element of each platform, in the service's order. The last one is ours: no page documents it.
    static let elements = [
        ("apns", "Apns"), ("mpns", "Mpns"), ("wns", "Wns"), ("gcm", "Gcm"), ("fcm", "Fcm"), ("fcmv1", "FcmV1"),
        ("adm", "Adm"), ("baidu", "Baidu"), ("browser", "Browser"), ("xiaomi", "Xiaomi"),
    ]

    /// `NotificationDetails`, the body of the response.
    var xml: [UInt8] {
        var text =
            "<NotificationDetails xmlns=\"http://schemas.microsoft.com/netservices/2010/10/servicebus/connect\" "
            + "xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\">"
        func element(_ name: String, _ content: String?) {
            if let content { text += "<\(name)>\(content.xmlEscaped)</\(name)>" }
        }
        element("NotificationId", notification)
        element("Location", location)
        element("State", state)
        element("EnqueueTime", CivilTime.ticks(secondsSince1970: enqueuedAt))
        element("StartTime", startedAt.map { CivilTime.ticks(secondsSince1970: $0) })
        element("EndTime", endedAt.map { CivilTime.ticks(secondsSince1970: $0) })
        element("NotificationBody", body)
        element("Tags", tags)
        element("TargetPlatforms", targetPlatforms.isEmpty ? nil : targetPlatforms.joined(separator: ","))
        for (platform, name) in Self.elements {
            guard let outcomes = counts[platform], !outcomes.isEmpty else { continue }
            let list = outcomes.sorted { $0.key < $1.key }
                .map { "<Outcome><Name>\($0.key.xmlEscaped)</Name><Count>\($0.value)</Count></Outcome>" }
            text += "<\(name)OutcomeCounts>\(list.joined())</\(name)OutcomeCounts>"
        }
        element("PnsErrorDetailsUri", errorDetails)
        return Array((text + "</NotificationDetails>").utf8)
    }
}
