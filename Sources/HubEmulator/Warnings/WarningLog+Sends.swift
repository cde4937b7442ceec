extension WarningLog {
    /// What is odd about a send before anybody has got it.
    func check(_ call: EmulatorRequest, _ submission: ValidatedSend, at hub: Hub, found: Hub.Found) {
        // Whom a direct send is for nobody has to have registered.
        if found.isEmptyHub, submission.audience.handleCount == nil {
            add(
                .noDevices, hub: hub.name,
                "the hub \(hub.name) has no devices: the send is taken and nobody gets it; register an installation")
        }
        checkAudience(submission.audience, at: hub, found: found)
        for device in found.expired {
            add(
                .expired, hub: hub.name, subject: device.id,
                "\(device.id) would have got a send, and has expired: its expirationTime is past")
        }
        checkVersion(call, at: hub)
        checkTime(call, submission.kind, at: hub)
        checkTypes(call, submission, at: hub)
        checkHeaders(call, at: hub)
    }

    private func checkVersion(_ call: EmulatorRequest, at hub: Hub) {
        guard let version = call.version else {
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

    private func checkTypes(_ call: EmulatorRequest, _ submission: ValidatedSend, at hub: Hub) {
        let format = submission.format
        let usual = format.media(isRaw: call.isRaw)
        let given = submission.type?.media ?? "no Content-Type"
        if !usual.contains(given) {
            add(
                .contentType, hub: hub.name, subject: format.rawValue,
                "a notification in the format \(format.rawValue) comes as \(usual[0]), not with \(given); the service "
                    + "may read it otherwise than you mean: set Content-Type")
        }
        guard format == .windows else { return }
        let types = ["wns/toast", "wns/tile", "wns/badge", "wns/raw", "tile", "badge"]
        if !types.contains(call[.wnsType]?.lowercased() ?? "") {
            add(
                .wnsType, hub: hub.name,
                "a Windows notification needs X-WNS-Type: wns/toast, tile, badge or wns/raw; without it Windows "
                    + "refuses what the hub took")
        }
    }
}
