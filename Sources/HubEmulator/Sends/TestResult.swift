/// The result of one push of a test send.
struct TestResult: Sendable {
    let target: PushTarget
    let outcome: PushOutcome

    /// `NotificationOutcome`, the body of the response (docs/wire/notification-hubs.md, "Sends").
    static func outcome(_ results: [TestResult]) -> [UInt8] {
        let space = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"
        let successes = results.count { $0.outcome == .sent }
        let list = results.isEmpty ? "<Results />" : "<Results>\(results.map(\.xml).joined())</Results>"
        return Array(
            ("<NotificationOutcome xmlns=\"\(space)\" xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\">"
                + "<Success>\(successes)</Success><Failure>\(results.count - successes)</Failure>\(list)"
                + "</NotificationOutcome>").utf8)
    }

    private var xml: String {
        let platform = target.platform.format + (target.template == nil ? "" : "template")
        let registration = target.registration
        return "<RegistrationResult><ApplicationPlatform>\(platform)</ApplicationPlatform>"
            + "<PnsHandle>\(target.channel.xmlEscaped)</PnsHandle>"
            + "<RegistrationId>\(registration)</RegistrationId>"
            + "<Outcome>\(outcome.text)</Outcome></RegistrationResult>"
    }
}
