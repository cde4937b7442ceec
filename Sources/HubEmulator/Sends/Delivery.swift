/// What one send becomes on the devices it reaches.
struct Delivery: Sendable {
    /// Those that arrive, in the order of the handles the send names, or of registration.
    let pushes: [Push]
    private let results: [TestResult]
    /// What became of every push, also of those that did not arrive.
    let tally: DeliveryTally

    /// A test send reaches at most this many devices.
    static let testLimit = 10

    init(_ submission: ValidatedSend, _ call: EmulatorRequest, _ hub: Hub, at: Double, warnings: WarningLog) {
        let found = hub.find(submission.audience, format: submission.format)
        warnings.check(call, submission, at: hub, found: found)
        switch (submission.audience, submission.content) {
        case (.handles(let handles), .payload(var payload)):
            payload.headers = call.platformHeaders
            pushes = Self.direct(payload, submission, to: handles, found.targets, hub, at: at, warnings)
            results = []
            tally = DeliveryTally(direct: payload, submission, to: handles)
        case (_, var content):
            if case .payload(var payload) = content, !found.targets.isEmpty {
                payload.headers = call.platformHeaders
                content = .payload(payload)
            }
            let targets = submission.kind == .test ? Array(found.targets.prefix(Self.testLimit)) : found.targets
            (pushes, results) = Self.tagged(content, targets, hub, at: at, warnings)
            tally = DeliveryTally(results)
        }
    }

    /// What devices with the same template on the same platform have in common.
    private struct Likes: Hashable {
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
        let sent = content.names
        var looked: Set<Likes> = []
        var used: Set<String> = []
        for target in targets {
            let payload = payloads.payload(for: target)
            let outcome = payload.outcome(on: target.platform)
            warnings.check(payload, outcome, target, sent, at: hub)
            let likes = Likes(template: target.template.map(ObjectIdentifier.init), platform: target.platform)
            if looked.insert(likes).inserted {
                warnings.checkShape(payload, target.platform, template: target.templateName, at: hub)
                warnings.checkNames(target, payload, sent: sent, at: hub)
                used.formUnion(target.template?.uses ?? [])
            }
            results.append(TestResult(target: target, outcome: outcome))
            guard outcome == .sent else { continue }
            let shown = ReceivedPush(at: at, template: target.templateName, payload)
            pushes.append(Push(inboxes: [.device(target.device, hub: hub.name)], shown: shown))
        }
        warnings.checkUnused(sent: sent, used: used, at: hub)
        return (pushes, results)
    }

    /// One push for every handle, whether a device is registered with it or not.
    private static func direct(
        _ payload: PayloadCache.Payload, _ submission: ValidatedSend, to handles: [String], _ targets: [PushTarget],
        _ hub: Hub, at: Double, _ warnings: WarningLog
    ) -> [Push] {
        if let platform = submission.format.platform {
            let outcome = payload.outcome(on: platform)
            warnings.checkSize(payload, outcome, platform, at: hub)
            warnings.checkShape(payload, platform, at: hub)
            guard outcome == .sent else { return [] }
        }
        let devices = Dictionary(grouping: targets, by: \.channel)
        return handles.map { handle in
            let known = (devices[handle] ?? []).map { InboxKey.device($0.device, hub: hub.name) }
            let shown = ReceivedPush(at: at, handle: handle, payload)
            return Push(inboxes: known + [.handle(handle, hub: hub.name)], shown: shown)
        }
    }

    /// The body of the answer to a test send.
    var outcome: [UInt8] { TestResult.outcome(results) }
}

/// One push that arrived, and the inboxes that show it.
struct Push: Sendable {
    let inboxes: [InboxKey]
    var shown: ReceivedPush
}

extension ReceivedPush {
    /// Its number it gets from the journal.
    fileprivate init(at: Double, template: String? = nil, handle: String? = nil, _ payload: PayloadCache.Payload) {
        self.init(
            number: 0, at: at, template: template, handle: handle, payload: payload.text,
            headers: payload.headers.isEmpty ? nil : payload.headers, alert: payload.alert)
    }
}

extension ValidatedSend.Content {
    /// Of its properties; none for a payload in the platform's own format.
    fileprivate var names: [String] {
        if case .properties(let object) = self { object.names } else { [] }
    }
}
