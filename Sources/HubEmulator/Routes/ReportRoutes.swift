import HTTPTypes
import PushModel

/// `/_emulator/status`, `/_emulator/journal/N` and `/_emulator/reach`: about this run, one send, and a tag expression.
struct ReportRoutes: Sendable {
    let source: PageSource
    let query: HubQuery

    /// The most devices in one list of `/_emulator/reach`.
    static let reachLimit = 100

    /// nil: the path is not one of these.
    func answer(_ request: EmulatorRequest) throws(EmulatorError) -> Response? {
        let path = Array(request.segments.dropFirst())
        switch (request.method, path.first, path.count) {
        case (.get, "status", 1): return try AdminRoutes.json(source.status)
        case (.get, "reach", 1): return try AdminRoutes.json(try reach(request))
        case (.get, "journal", 2):
            guard let number = Int(path[1]) else { return nil }
            guard let report = source.reports.report(number, at: request.origin) else {
                return AdminRoutes.problem(404, "the journal has no send \(number)")
            }
            return try AdminRoutes.json(report)
        case (_, "status", 1), (_, "reach", 1): return InboxRoutes.methodNotAllowed(request)
        default: return nil
        }
    }

    private func reach(_ request: EmulatorRequest) throws(EmulatorError) -> Reach {
        let format = query.text("format", request) ?? SendFormat.template.rawValue
        return try Self.reach(
            try query.requiredHub(request), tags: query.text("tags", request), format: format)
    }

    /// - Parameter tags: nil: every device.
    /// - Throws: `EmulatorError` for an unknown format, and for a text that is not a tag expression, with the position.
    static func reach(_ hub: Hub, tags: String?, format name: String) throws(EmulatorError) -> Reach {
        if hub.sender != nil { return try reach(hub, topics: tags) }
        guard let format = hub.apns == nil ? SendFormat(header: name) : .apple else {
            let known = SendFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw EmulatorError("there is no format \(name.prefix(40)): \(known)")
        }
        guard let tags else { return hub.reach(.allDevices, format, limit: reachLimit) }
        do {
            return hub.reach(.tagged(try TagExpression(tags)), format, limit: reachLimit)
        } catch {
            throw EmulatorError("not a tag expression: \(error)")
        }
    }

    /// - Parameter topics: a topic or a condition; nil: every phone.
    private static func reach(_ hub: Hub, topics: String?) throws(EmulatorError) -> Reach {
        guard let topics else { return hub.reach(.allDevices, .fcmv1, limit: reachLimit) }
        if FCMTopic.isValid(topics) {
            return hub.reach(.topics(FCMCondition(topic: topics)), .fcmv1, limit: reachLimit)
        }
        do throws(FCMCondition.Fault) {
            return hub.reach(.topics(try FCMCondition(topics)), .fcmv1, limit: reachLimit)
        } catch {
            throw EmulatorError("neither a topic nor a condition: \(error)")
        }
    }
}

/// Which run of an emulator answers: `GET /_emulator/status`.
public struct EmulatorStatus: Sendable, Equatable, Codable {
    /// New with every start.
    public var instance: String
    /// Seconds since 1970, by the clock that was not advanced.
    public var startedAt: Double
    /// The number of the last send so far, for `since` of `/_emulator/wait`.
    public var number: Int
    /// How far the clock is ahead.
    public var advancedSeconds: Double
    public var hubs: [String]
    /// Those of `hubs` that are senders of FCM.
    public var senders: [String]
    /// Those of `hubs` that are senders of APNs.
    public var apnsSenders: [String]

    /// What a hub of this status emulates.
    public func service(of hub: String) -> EmulatedService {
        let name = hub.lowercased()
        if senders.contains(where: { $0.lowercased() == name }) { return .fcm }
        return apnsSenders.contains { $0.lowercased() == name } ? .apns : .notificationHub
    }
}
