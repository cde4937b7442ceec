extension WarningLog {
    /// What is odd about a send before anybody has got it.
    func check(_ call: Call, _ submission: Submission, at hub: Hub, found: Hub.Found) {
        let audience = submission.audience
        // Whom a direct send is for nobody has to have registered.
        if found.isEmptyHub, audience.handleCount == nil {
            add(.noDevices, hub: hub.name, "the hub \(hub.name) has no devices: nobody gets anything")
        }
        switch audience {
        case .everybody:
            add(.broadcast, hub: hub.name, "a send without ServiceBusNotification-Tags goes to every device")
        case .nobody:
            add(.emptyTags, hub: hub.name, "an empty ServiceBusNotification-Tags reaches nobody")
        case .tagged:
            for tag in found.unknownTags {
                add(.unknownTag, hub: hub.name, subject: tag, "no device has the tag \(tag)")
            }
        case .handles:
            break
        }
        if call.parameter("api-version") == nil {
            add(.missingVersion, hub: hub.name, "a send without api-version in the query")
        }
        checkTypes(call, submission, at: hub)
        for field in call.headers {
            let name = field.name.canonicalName
            if name == "tags" {
                add(
                    .tagsHeader, hub: hub.name,
                    "the header Tags means nothing to the service; the right one is ServiceBusNotification-Tags")
            } else if name.hasPrefix("servicebusnotification-"), !Self.knownHeaders.contains(name) {
                add(.unknownHeader, hub: hub.name, subject: name, "the service does not know the header \(name)")
            }
        }
    }

    private func checkTypes(_ call: Call, _ submission: Submission, at hub: Hub) {
        let format = submission.format
        let usual = format.media(isRaw: call.isRaw)
        let given = submission.type?.media ?? "no Content-Type"
        if !usual.contains(given) {
            add(
                .contentType, hub: hub.name, subject: format.rawValue,
                "a notification in the format \(format.rawValue) comes as \(usual[0]), not with \(given)")
        }
        guard format == .windows else { return }
        let types = ["wns/toast", "wns/tile", "wns/badge", "wns/raw", "tile", "badge"]
        if !types.contains(call.headers[.wnsType]?.lowercased() ?? "") {
            add(.wnsType, hub: hub.name, "a Windows notification needs X-WNS-Type: wns/toast, tile, badge or wns/raw")
        }
    }

    /// What is odd about what one device gets.
    ///
    /// - Parameter template: its name; nil: the send is in the platform's own format.
    func check(
        _ payload: Payloads.Payload, _ outcome: PushOutcome, _ platform: Installation.Platform,
        template: String? = nil, at hub: Hub
    ) {
        if payload.alert?.isEmpty == true {
            let template = template ?? ""
            add(
                .emptyAlert, hub: hub.name, subject: template,
                "the template \(template) shows an empty alert: does the send lack its language?")
        }
        if outcome == .tooLarge {
            add(
                .tooLargeForPlatform, hub: hub.name, subject: platform.rawValue,
                "\(payload.size) bytes are more than \(platform.rawValue) takes: nobody sees them")
        }
    }

    private static let knownHeaders: Set<String> = [
        "servicebusnotification-format", "servicebusnotification-tags", "servicebusnotification-devicehandle",
        "servicebusnotification-scheduletime", "servicebusnotification-apns-expiry",
    ]
}
