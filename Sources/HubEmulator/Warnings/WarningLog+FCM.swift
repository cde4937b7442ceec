import PushModel

extension WarningLog {
    /// Checks a send to FCM before it is delivered.
    func check(_ send: FCMSend, at hub: Hub, found: Hub.Found) {
        guard case .topics(let condition) = send.target else { return }
        if found.isEmptyHub {
            add(
                .noDevices, hub: hub.name,
                "the sender \(hub.name) has no phones: the send is taken and nobody gets it; add one with device add")
        }
        for topic in found.unknownTags {
            let near = hub.topicNear(topic).map { "; did you mean \($0)? Case counts" }
            add(
                .unknownTopic, hub: hub.name, subject: String(topic.prefix(120)),
                "no phone has the topic \(topic.prefix(120))" + (near ?? ": the send is taken and reaches nobody by it")
            )
        }
        for device in found.expired {
            add(
                .expired, hub: hub.name, subject: device.id,
                "\(device.id) would have got a send, and has expired: its expirationTime is past")
        }
        if condition.isAmbiguous {
            add(
                .mixedCondition, hub: hub.name, subject: String((send.topics ?? "").prefix(200)),
                "&& and || stand beside each other without parentheses: FCM documents no precedence, and the emulator goes "
                    + "from left to right; write the parentheses")
        }
        if send.size > Topic.undisputedBytes {
            add(
                .largeForTopics, hub: hub.name,
                "\(send.size) bytes to topics: a page of Google's allows \(Topic.undisputedBytes), another one "
                    + "\(TargetedMessage.sizeLimit); keep to the smaller one")
        }
    }

    /// Checks what FCM takes and phones do not show as meant.
    ///
    /// - Parameter isOnAndroid: whether a phone with Android got it.
    func check(_ payload: PayloadCache.Payload, isOnAndroid: Bool, at hub: Hub) {
        if let fault = PlatformPayload.fault(in: payload.text, format: SendFormat.fcmv1.rawValue) {
            add(
                .payloadShape, hub: hub.name, subject: SendFormat.fcmv1.rawValue,
                "the message is taken, and phones do not show it as meant: \(fault)")
        }
        guard isOnAndroid, let message = (try? JSONNode(Array(payload.text.utf8)))?.value["message"] else { return }
        let data = message["android"]?["data"] ?? message["data"]
        let notification = message["notification"] ?? message["android"]?["notification"]
        guard notification != nil, case .object(let members) = data, !members.isEmpty else { return }
        add(
            .dataBesideNotification, hub: hub.name,
            "notification stands beside data: while the app is in the background Android shows the notification and does not "
                + "call the app, which gets the data only when a person taps it; send data alone for an app that has to act"
        )
    }

    /// Checks what phones looked up in the texts of their app.
    func check(_ alerts: PhoneAlerts, at hub: Hub) {
        checkCategories(alerts, at: hub)
        for unknown in alerts.unknown.sorted(by: { ($0.key, $0.language ?? "") < ($1.key, $1.language ?? "") }) {
            add(
                .unknownKey, hub: hub.name, subject: "\(unknown.key.prefix(120)) \(unknown.language ?? "")",
                Self.unknownKey(unknown, in: hub.strings))
        }
        for text in alerts.unfilled.sorted(by: { ($0.key, $0.language ?? "") < ($1.key, $1.language ?? "") }) {
            add(
                .missingArgument, hub: hub.name, subject: "\(text.key.prefix(120)) \(text.language ?? "")",
                "the text \(text.key.prefix(120)) has places for \(text.needs) arguments and the message has \(text.has): "
                    + "Android then shows no text, and the emulator leaves the place as it is written")
        }
    }

    private func checkCategories(_ alerts: PhoneAlerts, at hub: Hub) {
        // Without a file, only a sender of APNs has no other place to say what its phones know.
        guard hub.categories != nil || hub.apns != nil else { return }
        for category in alerts.unknownCategories.sorted() {
            let near = hub.categories.flatMap {
                DidYouMean.nearest(to: category, in: $0.names, tolerance: .oneInThree)
            }
            add(
                .unknownCategory, hub: hub.name, subject: String(category.prefix(120)),
                "no phone knows the category \(category.prefix(120)), and so shows no buttons; no service says so"
                    + (near.map { "; did you mean \($0)?" }
                        ?? (hub.categories == nil ? "; start the emulator with --categories FILE" : "")))
        }
    }

    private static func unknownKey(_ unknown: PhoneAlerts.Unknown, in strings: StringsFile?) -> String {
        let key = unknown.key.prefix(120)
        guard let strings else {
            return "the phones look up the key \(key), and the emulator has no texts: it shows the key; start it with "
                + "--strings FILE"
        }
        let others = strings.languages(with: unknown.key)
        if others.isEmpty { return "no phone knows the key \(key): it shows the key itself, or nothing" }
        let having = others.prefix(5).joined(separator: ", ")
        guard let language = unknown.language else {
            return
                "a phone without a language looks up the key \(key), which has texts in \(having); give the phone a language, "
                + "or the texts a language named \(StringsFile.fallback)"
        }
        return
            "a phone in \(language) does not know the key \(key), which has texts in \(having): it shows the key itself, or "
            + "nothing"
    }
}
