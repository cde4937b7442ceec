/// What one send becomes on the devices it reaches.
struct Delivery: Sendable {
    /// Those that arrive, in the order of the handles the send names, or of registration.
    let pushes: [Push]
    private let results: [TestResult]

    /// A test send reaches at most this many devices.
    static let testLimit = 10

    init(_ submission: Submission, _ call: Call, _ hub: Hub, at: Double, warnings: WarningLog) {
        let found = hub.find(submission.audience, format: submission.format)
        warnings.check(call, submission, at: hub, found: found)
        switch (submission.audience, submission.content) {
        case (.handles(let handles), .payload(let payload)):
            pushes = Self.direct(payload, submission, call, to: handles, found.targets, hub, at: at, warnings)
            results = []
        case (_, let content):
            let targets = submission.kind == .test ? Array(found.targets.prefix(Self.testLimit)) : found.targets
            var pushes: [Push] = []
            var results: [TestResult] = []
            var payloads = Payloads(content)
            for target in targets {
                let payload = payloads.payload(for: target)
                let isVoIP = target.template == nil ? call.isVoIP : target.isVoIP
                let outcome = payload.outcome(on: target.platform, isVoIP: isVoIP)
                warnings.check(payload, outcome, target.platform, template: target.templateName, at: hub)
                results.append(TestResult(target: target, outcome: outcome))
                guard outcome == .sent else { continue }
                let shown = Shown(
                    number: 0, at: at, template: target.templateName, payload: payload.text, alert: payload.alert)
                pushes.append(Push(inboxes: [.device(target.device, hub: hub.name)], shown: shown))
            }
            self.pushes = pushes
            self.results = results
        }
    }

    /// One push for every handle, whether a device is registered with it or not.
    private static func direct(
        _ payload: Payloads.Payload, _ submission: Submission, _ call: Call, to handles: [String],
        _ targets: [PushTarget], _ hub: Hub, at: Double, _ warnings: WarningLog
    ) -> [Push] {
        if let platform = submission.format.platform {
            let outcome = payload.outcome(on: platform, isVoIP: call.isVoIP)
            warnings.check(payload, outcome, platform, at: hub)
            guard outcome == .sent else { return [] }
        }
        let devices = Dictionary(grouping: targets, by: \.channel)
        return handles.map { handle in
            let known = (devices[handle] ?? []).map { InboxKey.device($0.device, hub: hub.name) }
            let shown = Shown(number: 0, at: at, handle: handle, payload: payload.text, alert: payload.alert)
            return Push(inboxes: known + [.handle(handle, hub: hub.name)], shown: shown)
        }
    }

    /// The body of the answer to a test send.
    var outcome: [UInt8] { TestResult.outcome(results) }
}

/// One push that arrived, and the inboxes that show it.
struct Push: Sendable {
    let inboxes: [InboxKey]
    var shown: Shown
}
