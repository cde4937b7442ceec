import PushModel

extension WarningLog {
    /// Checks the payload for one device.
    func check(
        _ payload: PayloadCache.Payload, _ outcome: PushOutcome, _ target: PushTarget, _ sent: [String], at hub: Hub
    ) {
        if payload.alert?.isEmpty == true {
            add(
                .emptyAlert, hub: hub.name, subject: target.templateName ?? "",
                Self.emptyAlert(of: target, sent: sent))
        }
        checkSize(payload, outcome, target.platform, at: hub)
    }

    func checkSize(
        _ payload: PayloadCache.Payload, _ outcome: PushOutcome, _ platform: Installation.Platform, at hub: Hub
    ) {
        guard outcome == .tooLarge else { return }
        add(
            .tooLargeForPlatform, hub: hub.name, subject: platform.rawValue,
            "\(payload.size) bytes are more than the \(platform.payloadLimit(isVoIP: payload.isVoIP)) that "
                + "\(platform.rawValue) takes: the hub says 201, the platform drops it and nobody sees it")
    }

    /// - Parameter template: its name. nil: the payload was sent in the platform's own format.
    func checkShape(
        _ payload: PayloadCache.Payload, _ platform: Installation.Platform, template: String? = nil, at hub: Hub
    ) {
        if platform == .wns, let template, !payload.headers.keys.contains(where: { $0.lowercased() == "x-wns-type" }) {
            add(
                .wnsType, hub: hub.name, subject: template,
                "the template \(template) is for Windows and has no X-WNS-Type (wns/toast, tile, badge or wns/raw) "
                    + "among the template's headers; without it Windows refuses what the hub took")
        }
        guard let fault = payload.fault(on: platform) else { return }
        let source = template.map { "what the template \($0) makes" } ?? "the payload"
        add(
            .payloadShape, hub: hub.name, subject: template.map { "\(platform.rawValue) \($0)" } ?? platform.rawValue,
            "\(source) is not what \(platform.rawValue) takes: \(fault). The hub says 201; the platform refuses it or "
                + "shows nothing")
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
                "the template \(template) uses \(name), which the message lacks: it shows as an empty text; send it, "
                    + "or give it a default as $(\(name):{text})")
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
            let name = String(name.prefix(120))
            add(
                .unusedProperty, hub: hub.name, subject: name,
                "no template this send reached uses the property \(name): nobody sees it"
                    + (near.map { "; the templates have \($0)" } ?? ""))
        }
    }

    private static func emptyAlert(of target: PushTarget, sent: [String]) -> String {
        guard let template = target.templateName else {
            return "the payload shows an empty alert: the device shows nothing, or an empty bubble"
        }
        let missing = missing(target, sent: sent)
        let has = sent.isEmpty ? "no property at all" : sent.prefix(5).joined(separator: ", ")
        let lack =
            missing.isEmpty
            ? "what it uses is empty in the message"
            : "the message lacks \(missing.joined(separator: ", ")) and has \(has)"
        return "the template \(template) shows an empty alert: \(lack). The device shows nothing, or an empty bubble; "
            + "send the text for its language, or give the template a default as $(name:{text})"
    }

    private static func missing(_ target: PushTarget, sent: [String]) -> [String] {
        let available = Set((sent + target.variables.keys).map { $0.lowercased() })
        return (target.template?.required ?? []).filter { !available.contains($0.lowercased()) }
    }
}
