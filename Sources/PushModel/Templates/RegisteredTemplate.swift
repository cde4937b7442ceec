/// A template as devices register it, ready to render: its body, and its headers for the platform's service, whose values may
/// be expressions too (docs/wire/notification-hubs.md, "Templates").
public struct RegisteredTemplate: Sendable {
    public let body: Template
    /// In order of name.
    private let headers: [(name: String, value: TemplateExpression)]
    /// The properties of body and headers, in lower case.
    public let uses: Set<String>
    /// The properties of the body that have no default in at least one place, as first written.
    public let required: [String]

    /// The header for a template's own expiry.
    public static let expiryHeader = "ServiceBusNotification-Apns-Expiry"

    /// - Parameter isXML: `isXML(_:on:)` says it of a text.
    /// - Throws: `TemplateError`, whose path names the header at fault.
    public init(
        _ body: String, isXML: Bool, headers: [String: String] = [:], expiry: String? = nil
    ) throws(TemplateError) {
        self.body = try isXML ? Template(xml: body) : Template(json: body)
        var expressions: [(name: String, value: TemplateExpression)] = []
        let given = headers.sorted { $0.key < $1.key } + (expiry.map { [(Self.expiryHeader, $0)] } ?? [])
        for (name, text) in given {
            do throws(TemplateError) {
                expressions.append((name, try TemplateExpression(text)))
            } catch {
                throw error.within(name)
            }
        }
        self.headers = expressions
        let inHeaders = expressions.flatMap(\.value.propertyNames)
        uses = Set((self.body.propertyNames + inHeaders).map { $0.lowercased() })
        required = self.body.requiredNames
    }

    /// Whether a body is XML there: Windows takes JSON too, as a raw push.
    public static func isXML(_ body: String, on platform: DevicePlatform) -> Bool {
        platform.takesXML && body.first { !$0.isWhitespace } == "<"
    }

    /// The document that a device with this template gets, and the headers for its platform's service.
    public func render(_ properties: [String: String]) -> (payload: String, headers: [String: String]) {
        let values = headers.map { ($0.name, $0.value.evaluate(properties).text) }
        return (body.render(properties), Dictionary(values) { first, _ in first })
    }
}
