/// The pushes of one send to FCM.
struct FCMDelivery: Sendable {
    /// In order of registration. Empty for a trial.
    let pushes: [Push]

    /// - Throws: what FCM answers for this token.
    init(_ send: FCMSend, _ hub: Hub, at: Double, warnings: WarningLog) throws(FCMError) {
        let found = hub.find(try Self.audience(of: send, at: hub), format: .fcmv1)
        warnings.check(send, at: hub, found: found)
        guard !send.isTrial else {
            pushes = []
            return
        }
        let payload = PayloadCache.Payload(send.payload)
        var alerts = PhoneAlerts(hub.strings, categories: hub.categories, isByPlatform: true)
        func shown(on phone: Device?) -> ReceivedPush {
            var received = ReceivedPush(number: 0, at: at, payload: send.payload)
            received.alert = alerts.alert(payload, on: phone?.platform ?? .fcmV1, language: phone?.languageCode)
            received.buttons = alerts.buttons(payload, on: phone?.platform ?? .fcmV1)
            return received
        }
        let phones = found.targets.map(\.device)
        switch send.target {
        case .topics:
            pushes = phones.map { Push(inboxes: [.device($0.id, hub: hub.name)], shown: shown(on: $0)) }
        case .handle(let handle):
            // A token that no phone of the emulator has may be one of a real phone: it is taken, and has an inbox of its own.
            var received = shown(on: phones.first)
            received.handle = handle
            let inboxes = phones.map { InboxKey.device($0.id, hub: hub.name) } + [.handle(handle, hub: hub.name)]
            pushes = [Push(inboxes: inboxes, shown: received)]
        }
        warnings.check(alerts, at: hub)
        warnings.check(payload, isOnAndroid: phones.contains { $0.platform == .fcmV1 }, at: hub)
    }

    /// - Throws: what FCM answers for a token that is gone, or begins as one of `TokenRule`.
    private static func audience(of send: FCMSend, at hub: Hub) throws(FCMError) -> Audience {
        switch send.target {
        case .topics(let condition): return .topics(condition)
        case .handle(let handle):
            let isID = handle.hasPrefix("fid:")
            if let rule = TokenRule(isID ? String(handle.dropFirst("fid:".count)) : handle) {
                throw rule.error(field: FCMSend.field(of: handle))
            }
            guard !hub.isGone(handle) else { throw .unregistered }
            return .handles([handle])
        }
    }
}
