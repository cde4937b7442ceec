import PushModel
import Store

extension DoctorHubs {
    /// Posts a second above which a service that asks for a ramp has to have one.
    static let rateWithoutRamp = 1_000

    /// What the service of a hub asks of its senders, and its settings leave out. Pure.
    static func advice(on hub: HubSettings) -> [Finding] {
        let area = "hub \(hub.name)"
        var findings: [Finding] = []
        switch hub.kind {
        case .notificationHubs, .apns: break
        case .fcm:
            if hub.rampSeconds == 0, hub.ratePerSecond == 0 || hub.ratePerSecond > rateWithoutRamp {
                let rate = hub.ratePerSecond == 0 ? "as fast as it can" : "at \(hub.ratePerSecond) posts/s"
                findings.append(
                    .warn(
                        area, "ramp",
                        "none: after a quiet minute it sends \(rate) at once, and Google asks for a rate that grows",
                        remedy:
                            "Set hubs.\(hub.name).rampSeconds to 60, and ratePerSecond to what the project's quota allows."
                    ))
            }
            if hub.tagsAreTopics {
                findings.append(
                    .ok(
                        area, "topics",
                        "keep messages to topics within \(Topic.undisputedBytes) bytes: Google's pages disagree on more"
                    ))
            }
        }
        return findings
    }
}
