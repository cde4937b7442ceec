/// The pushes of one send to FCM.
struct FCMDelivery: Sendable {
    /// In order of registration. Empty for a trial.
    let pushes: [Push]

    /// - Throws: what FCM answers for this token.
    init(
        _ send: FCMSend, _ hub: Hub, at: Double, warnings: WarningLog
    ) throws(FCMError) {
        let audience: Audience
        switch send.target {
        case .handle(let handle):
            let field = FCMSend.field(of: handle)
            if let rule = TokenRule(handle.hasPrefix("fid:") ? String(handle.dropFirst(4)) : handle) {
                throw rule.error(field: field)
            }
            guard !hub.isGone(handle) else { throw .unregistered }
            audience = .handles([handle])
        case .topics(let condition): audience = .topics(condition)
        }
        let found = hub.find(audience, format: .fcmv1)
        warnings.check(send, at: hub, found: found)
        guard !send.isTrial else {
            pushes = []
            return
        }
        let payload = PayloadCache.Payload(send.payload)
        var alerts = PhoneAlerts(hub.strings, isByPlatform: true)
        var pushes: [Push] = []
        var isOnAndroid = false
        func shown(_ platform: Installation.Platform, _ language: @autoclosure () -> String?) -> ReceivedPush {
            var received = ReceivedPush(number: 0, at: at, payload: send.payload)
            received.alert = alerts.alert(payload, on: platform, language: language())
            isOnAndroid = isOnAndroid || platform == .fcmV1
            return received
        }
        for target in found.targets {
            var received = shown(target.platform, target.device.languageCode)
            var inboxes = [InboxKey.device(target.deviceID, hub: hub.name)]
            if case .handle(let handle) = send.target {
                received.handle = handle
                inboxes.append(.handle(handle, hub: hub.name))
            }
            pushes.append(Push(inboxes: inboxes, shown: received))
        }
        // A token that no phone of the emulator has may be one of a real phone: it is taken, and has an inbox of its own.
        if case .handle(let handle) = send.target, pushes.isEmpty {
            var received = shown(.fcmV1, nil)
            received.handle = handle
            pushes.append(Push(inboxes: [.handle(handle, hub: hub.name)], shown: received))
        }
        self.pushes = pushes
        warnings.check(alerts, at: hub)
        warnings.check(payload, isOnAndroid: isOnAndroid, at: hub)
    }
}
