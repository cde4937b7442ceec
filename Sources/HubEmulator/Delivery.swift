/// What one send becomes on the devices it reaches.
struct Delivery: Sendable {
    let shown: [(device: DeviceKey, push: Shown)]
    private let targets: [PushTarget]

    /// A test send reaches at most this many devices.
    static let testLimit = 10

    init(_ submission: Submission, _ call: Call, _ hub: Hub, at: Double, warnings: WarningLog) {
        let found = hub.find(submission.audience, format: submission.format)
        warnings.check(call, for: submission.audience, at: hub, found: found)
        targets = call.isOn("test") ? Array(found.targets.prefix(Self.testLimit)) : found.targets
        guard !targets.isEmpty else {
            shown = []
            return
        }
        var payloads = Payloads(submission.content)
        shown = targets.map { target in
            let payload = payloads.payload(for: target)
            warnings.check(payload, for: target, at: hub)
            let push = Shown(
                number: 0, at: at, template: target.templateName, payload: payload.text, alert: payload.alert)
            return (DeviceKey(hub: hub.name, device: target.device), push)
        }
    }

    /// The body of the answer to a test send.
    var outcome: [UInt8] {
        let results = targets.map { target in
            let platform = target.platform.format + (target.template == nil ? "" : "template")
            return "<RegistrationResult><ApplicationPlatform>\(platform)</ApplicationPlatform>"
                + "<PnsHandle>\(target.channel.xmlEscaped)</PnsHandle>"
                + "<RegistrationId>\(target.device.xmlEscaped)</RegistrationId>"
                + "<Outcome>The Notification was successfully sent to the Push Notification System</Outcome>"
                + "</RegistrationResult>"
        }
        let space = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"
        return Array(
            ("<NotificationOutcome xmlns=\"\(space)\" xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\">"
                + "<Success>\(targets.count)</Success><Failure>0</Failure><Results>\(results.joined())</Results>"
                + "</NotificationOutcome>").utf8)
    }
}
