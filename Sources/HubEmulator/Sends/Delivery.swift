/// The pushes of one send, and their results.
struct Delivery: Sendable {
    /// Pushes that arrive, in order of the send's handles, or of registration.
    let pushes: [Push]
    private let results: [TestResult]
    /// The results of all pushes, including those that did not arrive.
    let tally: DeliveryTally

    /// Most devices of a test send.
    static let testLimit = 10

    init(_ send: ValidatedSend, _ request: EmulatorRequest, _ hub: Hub, at: Double, warnings: WarningLog) {
        let found = hub.find(send.audience, format: send.format)
        warnings.check(request, send, at: hub, found: found)
        switch (send.audience, send.content) {
        case (.handles(let handles), .payload(var payload)):
            payload.headers = request.platformHeaders
            pushes = Self.direct(payload, send, to: handles, found.targets, hub, at: at, warnings)
            results = []
            tally = DeliveryTally(direct: payload, send, to: handles)
        case (_, var content):
            if case .payload(var payload) = content, !found.targets.isEmpty {
                payload.headers = request.platformHeaders
                content = .payload(payload)
            }
            let targets = send.kind == .test ? Array(found.targets.prefix(Self.testLimit)) : found.targets
            (pushes, results) = Self.tagged(content, targets, hub, at: at, warnings)
            warnings.checkRepeated(send.repeatedNames, at: hub)
            tally = DeliveryTally(results)
        }
    }

    /// Devices with the same template on the same platform get the same warnings, which are checked once.
    private struct Variant: Hashable {
        let template: ObjectIdentifier?
        let platform: Installation.Platform
    }

    private static func tagged(
        _ content: ValidatedSend.Content, _ targets: [PushTarget], _ hub: Hub, at: Double, _ warnings: WarningLog
    ) -> ([Push], [TestResult]) {
        if targets.isEmpty { return ([], []) }
        var pushes: [Push] = []
        var results: [TestResult] = []
        var payloads = PayloadCache(content)
        var alerts = PhoneAlerts(hub.strings, categories: hub.categories)
        let sent = content.names
        var checked: Set<Variant> = []
        var used: Set<String> = []
        for target in targets {
            let payload = payloads.payload(for: target)
            let outcome = payload.outcome(on: target.platform)
            warnings.check(payload, outcome, target, sent, at: hub)
            let variant = Variant(template: target.template.map(ObjectIdentifier.init), platform: target.platform)
            if checked.insert(variant).inserted {
                warnings.checkShape(payload, target.platform, template: target.templateName, at: hub)
                warnings.checkNames(target, payload, sent: sent, at: hub)
                used.formUnion(target.template?.uses ?? [])
            }
            results.append(TestResult(target: target, outcome: outcome))
            guard outcome == .sent else { continue }
            var shown = ReceivedPush(at: at, template: target.templateName, payload)
            shown.alert = alerts.alert(payload, on: target.platform, language: target.device.languageCode)
            shown.buttons = alerts.buttons(payload, on: target.platform)
            pushes.append(Push(inboxes: [.device(target.deviceID, hub: hub.name)], shown: shown))
        }
        warnings.checkUnused(sent: sent, used: used, at: hub)
        warnings.check(alerts, at: hub)
        return (pushes, results)
    }

    /// One push per handle, whether or not a device is registered with it.
    private static func direct(
        _ payload: PayloadCache.Payload, _ send: ValidatedSend, to handles: [String], _ targets: [PushTarget],
        _ hub: Hub, at: Double, _ warnings: WarningLog
    ) -> [Push] {
        if let platform = send.format.platform {
            let outcome = payload.outcome(on: platform)
            warnings.checkSize(payload, outcome, platform, at: hub)
            warnings.checkShape(payload, platform, at: hub)
            guard outcome == .sent else { return [] }
        }
        let devices = Dictionary(grouping: targets, by: \.channel)
        var alerts = PhoneAlerts(hub.strings, categories: hub.categories)
        let pushes = handles.map { handle in
            let known = devices[handle] ?? []
            var shown = ReceivedPush(at: at, handle: handle, payload)
            if let platform = send.format.platform {
                shown.alert = alerts.alert(payload, on: platform, language: known.first?.device.languageCode)
                shown.buttons = alerts.buttons(payload, on: platform)
            }
            return Push(
                inboxes: known.map { .device($0.deviceID, hub: hub.name) } + [.handle(handle, hub: hub.name)],
                shown: shown)
        }
        warnings.check(alerts, at: hub)
        return pushes
    }

    /// The body of a test send's response.
    var outcome: [UInt8] { TestResult.outcome(results) }
}

/// One push that arrived, and the inboxes that show it.
struct Push: Sendable {
    let inboxes: [InboxKey]
    var shown: ReceivedPush
}

extension ReceivedPush {
    /// The journal assigns the number.
    fileprivate init(at: Double, template: String? = nil, handle: String? = nil, _ payload: PayloadCache.Payload) {
        self.init(
            number: 0, at: at, template: template, handle: handle, payload: payload.text,
            headers: payload.headers.isEmpty ? nil : payload.headers, alert: payload.alert,
            missing: payload.missing.isEmpty ? nil : payload.missing)
    }
}

extension ValidatedSend.Content {
    /// Names of the properties; empty for a payload in the platform's own format.
    fileprivate var names: [String] {
        if case .properties(let object) = self { object.names } else { [] }
    }
}
