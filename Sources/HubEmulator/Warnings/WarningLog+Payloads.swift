import PushModel

extension WarningLog {
    /// Checks the payload for one device.
    func check(
        _ payload: PayloadCache.Payload, _ outcome: PushOutcome, _ target: PushTarget, _ sent: [String], at hub: Hub
    ) {
        if payload.alert?.isEmpty == true {
            add(
                .emptyAlert, hub: hub.name, subject: target.templateName ?? "",
                lint: .emptyAlert(template: target.templateName, missing: Self.missing(target, sent: sent), sent: sent))
        }
        checkSize(payload, outcome, target.platform, at: hub)
    }

    func checkSize(
        _ payload: PayloadCache.Payload, _ outcome: PushOutcome, _ platform: Installation.Platform, at hub: Hub
    ) {
        guard outcome == .tooLarge else { return }
        add(
            .tooLargeForPlatform, hub: hub.name, subject: platform.rawValue,
            lint: .tooLargeForPlatform(
                payload.size, limit: platform.payloadLimit(isVoIP: payload.isVoIP), on: platform))
    }

    /// - Parameter template: its name. nil: the payload was sent in the platform's own format.
    func checkShape(
        _ payload: PayloadCache.Payload, _ platform: Installation.Platform, template: String? = nil, at hub: Hub
    ) {
        if platform == .wns, let template, !payload.headers.keys.contains(where: { $0.lowercased() == "x-wns-type" }) {
            add(.wnsType, hub: hub.name, subject: template, lint: .wnsType(template: template))
        }
        guard let fault = payload.fault(on: platform) else { return }
        add(
            .payloadShape, hub: hub.name, subject: template.map { "\(platform.rawValue) \($0)" } ?? platform.rawValue,
            lint: .payloadShape(template: template, fault, on: platform))
    }

    /// Checks that the message has all properties of a template; called once for every template of a send.
    ///
    /// - Parameter sent: the names of the message's properties.
    func checkNames(_ target: PushTarget, _ payload: PayloadCache.Payload, sent: [String], at hub: Hub) {
        // `emptyAlert` already reports it.
        if payload.alert?.isEmpty == true { return }
        let template = target.templateName ?? ""
        for name in Self.missing(target, sent: sent) {
            add(
                .missingProperty, hub: hub.name, subject: "\(template) \(name)",
                lint: .missingProperty(template: template, name))
        }
    }

    /// Warns of properties that stand in the body more than once.
    func checkRepeated(_ names: [String], at hub: Hub) {
        for name in names {
            let name = String(name.prefix(120))
            add(
                .repeatedProperty, hub: hub.name, subject: name,
                "the message has the property \(name) twice (case does not count): a device shows one of them")
        }
    }

    /// Checks for unused properties. Languages that no device reads are normal. Suspicious is a property whose name is
    /// similar to one that the templates use, or a message of which they use no property.
    ///
    /// - Parameter used: the properties used by all templates that the send reached, in lower case.
    func checkUnused(sent: [String], used: Set<String>, at hub: Hub) {
        let unused = sent.filter { !used.contains($0.lowercased()) }
        if unused.isEmpty { return }
        let missing = used.subtracting(sent.map { $0.lowercased() })
        for name in unused {
            let near = DidYouMean.nearest(to: name.lowercased(), in: missing, tolerance: .oneInThree)
            guard near != nil || unused.count == sent.count else { continue }
            add(
                .unusedProperty, hub: hub.name, subject: String(name.prefix(120)),
                lint: .unusedProperty(name, near: near)
            )
        }
    }

    private static func missing(_ target: PushTarget, sent: [String]) -> [String] {
        let available = Set((sent + target.variables.keys).map { $0.lowercased() })
        return (target.template?.required ?? []).filter { !available.contains($0.lowercased()) }
    }
}
