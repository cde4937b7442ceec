import PushModel

/// A template ready to render, with its headers. Thousands of devices register the same few texts: each exists once,
/// and each send renders it once.
final class SharedTemplate: Sendable {
    /// What makes two templates the same.
    struct Source: Hashable {
        let isXML: Bool
        let body: String
        let headers: [String: String]
        let expiry: String?

        init(_ template: Installation.Template, on platform: Installation.Platform) {
            // Windows takes JSON too, as a raw push.
            isXML = platform.takesXML && template.body.first { !$0.isWhitespace } == "<"
            body = template.body
            headers = template.headers ?? [:]
            expiry = template.expiry
        }
    }

    let template: Template
    /// In lower case: all properties, and those without a fallback.
    let uses: Set<String>
    let required: [String]
    /// For the platform's service, in order of name; values may be expressions too
    /// (docs/wire/notification-hubs.md, "Templates").
    private let headers: [(name: String, value: TemplateExpression)]

    /// The header for a template's own expiry.
    private static let expiryHeader = "ServiceBusNotification-Apns-Expiry"

    /// - Throws: `TemplateError`, whose path names the header at fault.
    init(_ source: Source) throws(TemplateError) {
        template = try source.isXML ? Template(xml: source.body) : Template(json: source.body)
        var headers: [(name: String, value: TemplateExpression)] = []
        let given = source.headers.sorted { $0.key < $1.key } + (source.expiry.map { [(Self.expiryHeader, $0)] } ?? [])
        for (name, text) in given {
            do throws(TemplateError) {
                headers.append((name, try TemplateExpression(text)))
            } catch {
                throw error.within(name)
            }
        }
        self.headers = headers
        let inHeaders = headers.flatMap(\.value.propertyNames)
        uses = Set((template.propertyNames + inHeaders).map { $0.lowercased() })
        required = template.requiredNames
    }

    func render(_ properties: [String: String]) -> PayloadCache.Payload {
        let values = headers.map { ($0.name, $0.value.evaluate(properties).text) }
        return PayloadCache.Payload(template.render(properties), headers: Dictionary(values) { first, _ in first })
    }
}

extension Installation.Platform {
    var takesXML: Bool { self == .wns || self == .mpns }
}
