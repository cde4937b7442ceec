extension WarningLog {
    /// What is odd about a send before anybody has got it.
    func check(_ call: Call, for audience: Audience, at hub: Hub, found: Hub.Found) {
        if found.isEmptyHub {
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
        case .handle:
            break
        }
        if call.parameter("api-version") == nil {
            add(.missingVersion, hub: hub.name, "a send without api-version in the query")
        }
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

    /// What is odd about what one device got.
    func check(_ payload: Payloads.Payload, for target: PushTarget, at hub: Hub) {
        if payload.alert?.isEmpty == true {
            let template = target.templateName ?? ""
            add(
                .emptyAlert, hub: hub.name, subject: template,
                "the template \(template) shows an empty alert: does the send lack its language?")
        }
        if let limit = target.platform.payloadLimit, payload.text.utf8.count > limit {
            let platform = target.platform.rawValue
            add(
                .tooLargeForPlatform, hub: hub.name, subject: platform,
                "\(payload.text.utf8.count) bytes for \(platform), which takes \(limit)")
        }
    }

    private static let knownHeaders: Set<String> = [
        "servicebusnotification-format", "servicebusnotification-tags", "servicebusnotification-devicehandle",
        "servicebusnotification-scheduletime", "servicebusnotification-apns-expiry",
    ]
}
