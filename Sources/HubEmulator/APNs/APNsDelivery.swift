/// The pushes of one send to APNs.
struct APNsDelivery: Sendable {
    let pushes: [Push]

    /// - Parameters:
    ///   - others: the other senders of APNs, whose phones this one does not reach.
    ///   - at: seconds since 1970.
    /// - Throws: what APNs answers for this handle.
    init(
        _ send: APNsSend, _ hub: Hub, _ sender: EmulatorSettings.APNsSender, others: [Hub], at: Double,
        warnings: WarningLog
    ) throws(APNsError) {
        if let error = AppleHandleRule(send.handle)?.error(at: sender.environment, now: at) { throw error }
        let found = hub.find(.handles([send.handle]), format: .apple)
        if found.targets.isEmpty { try Self.checkUnknown(send.handle, hub, sender, others) }
        warnings.check(send, at: hub)
        let phones = found.targets.map(\.device)
        var alerts = PhoneAlerts(hub.strings, categories: hub.categories)
        var shown = ReceivedPush(number: 0, at: at, payload: send.payload.text)
        shown.handle = send.handle
        shown.headers = send.payload.headers.isEmpty ? nil : send.payload.headers
        shown.alert = alerts.alert(send.payload, on: .apns, language: phones.first?.languageCode)
        shown.buttons = alerts.buttons(send.payload, on: .apns)
        warnings.check(alerts, at: hub)
        // A handle that no phone of the emulator has may be one of a real phone: it is taken, and has an inbox of its own.
        let inboxes = phones.map { InboxKey.device($0.id, hub: hub.name) } + [.handle(send.handle, hub: hub.name)]
        pushes = [Push(inboxes: inboxes, shown: shown)]
    }

    /// - Throws: 410 for a handle that a phone had, and 400 for one of another sender's phones.
    private static func checkUnknown(
        _ handle: String, _ hub: Hub, _ sender: EmulatorSettings.APNsSender, _ others: [Hub]
    ) throws(APNsError) {
        if let ended = hub.ended(handle) {
            throw ended.isExpired ? .expiredToken(since: ended.at) : .unregistered(since: ended.at)
        }
        for other in others where other !== hub && other.hasPhone(handle) {
            throw other.apns?.environment == sender.environment ? .deviceTokenNotForTopic : .badDeviceToken
        }
    }
}

extension Hub {
    /// When the handle of a phone ended, in seconds since 1970: the phone was removed or got another handle, or it has expired.
    /// nil: it has not, or no phone had it.
    func ended(_ handle: String) -> (at: Double, isExpired: Bool)? {
        index.withLock { index in
            if let time = index.goneTokens.time(of: handle) { return (time, false) }
            let expired = index.devices(channel: handle).map(\.expires).filter { $0 <= now() }
            return expired.max().map { ($0, true) }
        }
    }

    /// Whether a phone has the handle, expired or not.
    func hasPhone(_ handle: String) -> Bool { index.withLock { !$0.devices(channel: handle).isEmpty } }
}

extension DeviceIndex {
    func devices(channel: String) -> [Device] {
        var numbers: Set<UInt32> = []
        byChannel[channel]?.add(to: &numbers)
        return numbers.compactMap { byNumber[Int($0)] }
    }
}
