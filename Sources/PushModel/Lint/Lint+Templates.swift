// What is wrong with a template, whatever is sent.
extension Lint {
    mutating func check(_ template: ReadyTemplate) {
        for mixed in template.registered.body.mixed { add(.mixedText(template.label, mixed)) }
        if let expiry = template.source.expiry, !Self.isExpiry(expiry) { add(.templateExpiry(template.label, expiry)) }
        let known = PlatformHeaders.known(on: template.source.platform)
        for (name, value) in template.source.headers.sorted(by: { $0.key < $1.key }) {
            if !known.contains(name.lowercased()) {
                add(.templateHeader(template.label, name, on: template.source.platform))
            }
            if name.lowercased() == RegisteredTemplate.expiryHeader.lowercased(), !Self.isExpiry(value) {
                add(.templateExpiry(template.label, value))
            }
        }
        if template.source.platform == .wns,
            !template.source.headers.keys.contains(where: { $0.lowercased() == "x-wns-type" })
        {
            add(.wnsType(template: template.label))
        }
    }

    /// A date, 0, or what is evaluated at each send (docs/wire/notification-hubs.md, "Templates").
    private static func isExpiry(_ text: String) -> Bool {
        text == "0" || TemplateExpression.isExpression(text) || Expiry(text) != nil
    }

    /// Without a content: a fault that the payload has whatever the properties are.
    mutating func checkShape(_ template: ReadyTemplate) {
        let faults = ["1", "active", "high", "2027-01-15T08:00:00Z"].map { value in
            let names = template.registered.uses
            let rendered = template.registered.render(
                Dictionary(names.map { ($0, value) }) { first, _ in first })
            return PlatformPayload.fault(
                in: rendered.payload, format: template.source.platform.format, headers: rendered.headers)
        }
        guard let first = faults.first, let fault = first, faults.allSatisfy({ $0 == fault }) else { return }
        add(.payloadShape(template: template.label, fault, on: template.source.platform))
    }

    /// Devices of which a send reaches more than one template: each makes a notification
    /// (docs/wire/notification-hubs.md, "Templates").
    ///
    /// - Parameter tags: expressions; empty: the send is for tags of the device.
    mutating func checkDevices(_ templates: [PreviewTemplate], _ tags: [String]) {
        // What cannot be read has a finding of its own.
        let expressions = tags.compactMap { try? TagExpression($0) }
        var byDevice: [String: [PreviewTemplate]] = [:]
        var order: [String] = []
        for template in templates {
            guard let device = template.device else { continue }
            if byDevice[device] == nil { order.append(device) }
            byDevice[device, default: []].append(template)
        }
        for device in order {
            let own = byDevice[device] ?? []
            let reached = own.filter { template in
                let all = Set(template.tags.map { $0.lowercased() })
                return expressions.isEmpty || expressions.contains { $0.matches(folded: all) }
            }
            if reached.count > 1 { add(.severalTemplates(reached.map { String($0.name.prefix(120)) }, device: device)) }
        }
    }

    /// A finished payload of the platform's own format.
    mutating func check(_ preview: Preview) {
        if preview.isTooLarge {
            add(.tooLargeForPlatform(preview.bytes, limit: preview.limit, on: preview.platform))
        }
        if let fault = preview.fault { add(.payloadShape(template: nil, fault, on: preview.platform)) }
        if AlertText(payload: preview.payload)?.isEmpty == true {
            add(.emptyAlert(template: nil, missing: [], sent: []))
        }
    }
}
