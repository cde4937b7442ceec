import Foundation

/// What one send becomes on the devices it reaches, with the warnings it deserves.
struct Delivery: Sendable {
    let shown: [(device: DeviceKey, push: Shown)]
    private let targets: [PushTarget]

    /// A test send reaches at most this many devices.
    static let testLimit = 10

    init(_ submission: Submission, _ call: Call, _ hub: Hub, at: Double, warnings: WarningLog) {
        let found = hub.find(submission.audience, format: submission.format)
        Self.warn(call, submission.audience, found.unknown, hub.name, isEmpty: found.isEmpty, warnings)
        targets = call.isOn("test") ? Array(found.targets.prefix(Self.testLimit)) : found.targets
        var finished: [ObjectIdentifier: Finished] = [:]
        var native: Finished?
        shown = targets.map { target in
            let result: Finished
            if let template = target.template, case .properties(let properties) = submission.content {
                let key = ObjectIdentifier(template)
                result = finished[key] ?? Finished(template.template.render(properties))
                finished[key] = result
                if result.alert?.isEmpty == true {
                    warnings.add(
                        .emptyAlert, hub: hub.name, subject: target.templateName ?? "",
                        "the template \(target.templateName ?? "") shows an empty alert: the send lacks its language?")
                }
            } else if case .payload(let text) = submission.content {
                result = native ?? Finished(text)
                native = result
            } else {
                // `SendFormat.reaches` gives templates to template sends only, and devices to the others.
                result = Finished("")
            }
            if let limit = target.platform.payloadLimit, result.payload.utf8.count > limit {
                warnings.add(
                    .tooLargeForPlatform, hub: hub.name, subject: target.platform.rawValue,
                    "\(result.payload.utf8.count) bytes for \(target.platform.rawValue), which takes \(limit)")
            }
            let push = Shown(
                number: 0, at: at, template: target.templateName, payload: result.payload, alert: result.alert)
            return (DeviceKey(hub: hub.name, device: target.device), push)
        }
    }

    /// A payload, and what can be read in it; both are made once for all devices that get the same.
    private struct Finished {
        let payload: String
        let alert: Alert?

        init(_ payload: String) {
            self.payload = payload
            alert = Alert(payload: payload)
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

    private static func warn(
        _ call: Call, _ audience: Audience, _ unknown: [String], _ hub: String, isEmpty: Bool, _ warnings: WarningLog
    ) {
        if isEmpty { warnings.add(.noDevices, hub: hub, "the hub \(hub) has no devices: nobody gets anything") }
        switch audience {
        case .everybody:
            warnings.add(.broadcast, hub: hub, "a send without ServiceBusNotification-Tags goes to every device")
        case .nobody:
            warnings.add(.emptyTags, hub: hub, "an empty ServiceBusNotification-Tags reaches nobody")
        case .tagged:
            for tag in unknown {
                warnings.add(.unknownTag, hub: hub, subject: tag, "no device has the tag \(tag)")
            }
        case .handle:
            break
        }
        if call.parameter("api-version") == nil {
            warnings.add(.missingVersion, hub: hub, "a send without api-version in the query")
        }
        for field in call.headers {
            let name = field.name.canonicalName
            if name == "tags" {
                warnings.add(
                    .tagsHeader, hub: hub,
                    "the header Tags means nothing to the service; the right one is ServiceBusNotification-Tags")
            } else if name.hasPrefix("servicebusnotification-"), !knownHeaders.contains(name) {
                warnings.add(.unknownHeader, hub: hub, subject: name, "the service does not know the header \(name)")
            }
        }
    }

    private static let knownHeaders: Set<String> = [
        "servicebusnotification-format", "servicebusnotification-tags", "servicebusnotification-devicehandle",
        "servicebusnotification-scheduletime", "servicebusnotification-apns-expiry",
    ]
}
