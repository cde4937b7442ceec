import Foundation

/// Overrides the telemetry of some notifications, or delays it. Of several matching rules, the newest one with a key
/// decides that key.
public struct TelemetryRule: Sendable, Equatable, Codable {
    /// nil: any hub.
    public var hub: String?
    /// A notification's id; nil: any.
    public var notification: String?
    /// The value of `ServiceBusNotification-Tags`; nil: any.
    public var tags: String?

    /// Seconds after the send until the telemetry is found. 0 to 86,400.
    public var delaySeconds: Double?
    /// Seconds after that in which the state is Processing. 0 to 86,400.
    public var processingSeconds: Double?
    /// One of `NotificationDetails.states`.
    public var state: String?
    /// By platform (`apns`, `fcmv1` ...) and outcome (one of `NotificationDetails.outcomes`).
    public var outcomes: [String: [String: Int]]?

    public init(hub: String? = nil, notification: String? = nil, tags: String? = nil) {
        self.hub = hub
        self.notification = notification
        self.tags = tags
    }

    /// - Throws: `EmulatorError` naming the key that is out of its range.
    public func check() throws(EmulatorError) {
        for (key, seconds) in [("delaySeconds", delaySeconds), ("processingSeconds", processingSeconds)] {
            if let seconds, !(0...86_400).contains(seconds) { throw EmulatorError("\(key) must be 0 to 86400") }
        }
        if let state, !NotificationDetails.states.contains(state) {
            throw EmulatorError("state must be one of \(NotificationDetails.states.joined(separator: ", "))")
        }
        for (platform, counts) in outcomes ?? [:] {
            guard NotificationDetails.elements.contains(where: { $0.0 == platform }) else {
                let names = NotificationDetails.elements.map(\.0).joined(separator: ", ")
                throw EmulatorError("outcomes: a platform is one of \(names)")
            }
            for (name, count) in counts {
                guard NotificationDetails.outcomes.contains(name) else {
                    let names = NotificationDetails.outcomes.joined(separator: ", ")
                    throw EmulatorError("outcomes: an outcome is one of \(names)")
                }
                guard (0...1_000_000_000).contains(count) else {
                    throw EmulatorError("outcomes: a count must be 0 to 1000000000")
                }
            }
        }
        if delaySeconds == nil, processingSeconds == nil, state == nil, outcomes == nil {
            throw EmulatorError("a rule needs one of delaySeconds, processingSeconds, state, outcomes")
        }
    }

    /// One rule or an array of them.
    ///
    /// - Throws: `EmulatorError` for malformed JSON, an unknown key, or a value out of range.
    static func list(json: [UInt8]) throws(EmulatorError) -> [TelemetryRule] {
        let keys: Set = [
            "hub", "notification", "tags", "delaySeconds", "processingSeconds", "state", "outcomes",
        ]
        let data = Data(json)
        guard let value = try? JSONSerialization.jsonObject(with: data) else {
            throw EmulatorError("the rules are not JSON")
        }
        guard let objects = value as? [[String: Any]] ?? (value as? [String: Any]).map({ [$0] }) else {
            throw EmulatorError("a rule is an object; several are an array of objects")
        }
        if let unknown = objects.flatMap(\.keys).sorted().first(where: { !keys.contains($0) }) {
            throw EmulatorError("a rule has no key \(unknown)")
        }
        let rules: [TelemetryRule]
        do {
            rules =
                value is [Any]
                ? try JSONDecoder().decode([TelemetryRule].self, from: data)
                : [try JSONDecoder().decode(TelemetryRule.self, from: data)]
        } catch let error as DecodingError {
            throw EmulatorError(error.inOneLine)
        } catch {
            throw EmulatorError("the rules cannot be read")
        }
        for rule in rules { try rule.check() }
        return rules
    }

    func matches(_ tracked: TrackedNotification) -> Bool {
        (hub == nil || hub?.lowercased() == tracked.hub.lowercased())
            && (notification == nil || notification == tracked.id) && (tags == nil || tags == tracked.tags)
    }
}
