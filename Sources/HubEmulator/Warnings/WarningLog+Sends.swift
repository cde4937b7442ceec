extension WarningLog {
    /// Checks a send before it is delivered.
    func check(_ request: EmulatorRequest, _ send: ValidatedSend, at hub: Hub, found: Hub.Found) {
        // The handles of a direct send need not be registered.
        if found.isEmptyHub, send.audience.handleCount == nil {
            add(
                .noDevices, hub: hub.name,
                "the hub \(hub.name) has no devices: the send is taken and nobody gets it; register an installation")
        }
        checkAudience(send.audience, at: hub, found: found)
        for device in found.expired {
            add(
                .expired, hub: hub.name, subject: device.id,
                "\(device.id) would have got a send, and has expired: its expirationTime is past")
        }
        checkVersion(request, at: hub)
        checkTime(request, send.kind, at: hub)
        checkTypes(request, send, at: hub)
        checkHeaders(request, at: hub)
    }

    private func checkVersion(_ request: EmulatorRequest, at hub: Hub) {
        guard let version = request.version else {
            add(
                .missingVersion, hub: hub.name,
                "a send without api-version: what the service answers then is not documented; "
                    + "add ?api-version=2020-06")
            return
        }
        if version.isKnown { return }
        let shown = version.text
        add(
            .unknownVersion, hub: hub.name, subject: shown,
            shown.hasPrefix("2023-")
                ? "api-version \(shown) is one of management.azure.com; sends use 2020-06"
                : "no client is known to send api-version \(shown); sends use 2020-06")
    }

    private func checkTypes(_ request: EmulatorRequest, _ send: ValidatedSend, at hub: Hub) {
        let format = send.format
        let expected = format.media(isRaw: request.isRaw)
        let actual = send.type?.media ?? "no Content-Type"
        if !expected.contains(actual) {
            add(
                .contentType, hub: hub.name, subject: format.rawValue,
                "a notification in the format \(format.rawValue) comes as \(expected[0]), not with \(actual); the service "
                    + "may read it otherwise than you mean: set Content-Type")
        }
        guard format == .windows else { return }
        let types = ["wns/toast", "wns/tile", "wns/badge", "wns/raw", "tile", "badge"]
        if !types.contains(request[.wnsType]?.lowercased() ?? "") {
            add(
                .wnsType, hub: hub.name,
                "a Windows notification needs X-WNS-Type: wns/toast, tile, badge or wns/raw; without it Windows "
                    + "refuses what the hub took")
        }
    }

    /// Checks the time of a scheduled send.
    func checkSchedule(_ dueAt: Double, now: Double, at hub: Hub) {
        guard dueAt - now < ScheduleTime.usualLead else { return }
        add(
            .scheduleTooSoon, hub: hub.name,
            "a notification was scheduled less than five minutes ahead, which the service's clients do not do; "
                + "one whose time has passed goes out at once")
    }

    /// Checks for a schedule time on a send that is not scheduled.
    func checkTime(_ request: EmulatorRequest, _ kind: SendKind, at hub: Hub) {
        if kind != .scheduled, request[.scheduleTime] != nil {
            add(
                .scheduleTimeIgnored, hub: hub.name,
                "ServiceBusNotification-ScheduleTime means nothing at /messages: the send goes out at once; "
                    + "scheduled ones go to /schedulednotifications")
        }
    }
}
