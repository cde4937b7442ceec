/// A template that devices of a hub have, and what is known of those devices.
public struct PreviewTemplate: Sendable, Equatable {
    public var platform: DevicePlatform
    public var name: String
    /// As registered: JSON, or XML for Windows.
    public var body: String
    /// For the platform's service; a value may be an expression.
    public var headers: [String: String]
    /// Apple's: a date, `0`, or an expression that becomes one.
    public var expiry: String?
    /// By which a send reaches it, beside those of its device.
    public var tags: [String]
    /// The device's own texts, which the properties of a send replace. Of a template that many devices have, empty.
    public var variables: [String: String]
    /// The installation that it was read from; nil: not of one alone.
    public var device: String?
    /// How many devices had it; nil: not counted.
    public var devices: Int?

    public init(
        _ platform: DevicePlatform, _ name: String, _ body: String, headers: [String: String] = [:],
        expiry: String? = nil, tags: [String] = [], variables: [String: String] = [:], device: String? = nil,
        devices: Int? = nil
    ) {
        self.platform = platform
        self.name = name
        self.body = body
        self.headers = headers
        self.expiry = expiry
        self.tags = tags
        self.variables = variables
        self.device = device
        self.devices = devices
    }

    /// - Throws: `TemplateError` when the hub would refuse it.
    public func registered() throws(TemplateError) -> RegisteredTemplate {
        try RegisteredTemplate(
            body, isXML: RegisteredTemplate.isXML(body, on: platform), headers: headers, expiry: expiry)
    }

    /// What it renders: the properties of a message, over the device's own. Names compare without case.
    func properties(of message: StringObject) -> [String: String] {
        let sent = Dictionary(message.pairs.map { ($0.name, $0.value) }) { first, _ in first }
        if variables.isEmpty { return sent }
        let names = Set(sent.keys.map { $0.lowercased() })
        return variables.filter { !names.contains($0.key.lowercased()) }.merging(sent) { _, sent in sent }
    }
}
