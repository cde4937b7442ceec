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
            isXML = RegisteredTemplate.isXML(template.body, on: platform)
            body = template.body
            headers = template.headers ?? [:]
            expiry = template.expiry
        }
    }

    private let registered: RegisteredTemplate

    var template: Template { registered.body }
    /// In lower case: all properties.
    var uses: Set<String> { registered.uses }
    /// Properties without a fallback.
    var required: [String] { registered.required }

    /// - Throws: `TemplateError`, whose path names the header at fault.
    init(_ source: Source) throws(TemplateError) {
        registered = try RegisteredTemplate(
            source.body, isXML: source.isXML, headers: source.headers, expiry: source.expiry)
    }

    func render(_ properties: [String: String]) -> PayloadCache.Payload {
        let rendered = registered.render(properties)
        return PayloadCache.Payload(rendered.payload, headers: rendered.headers)
    }
}
