/// What one phone shows of a content, before anything is sent. Pure: the body is the planner's, the rendering a hub's, the
/// reading a phone's.
public struct Preview: Sendable, Equatable {
    /// Where the payload comes from.
    public enum Source: Sendable, Equatable {
        /// Rendered by a template that devices have.
        case template(String)
        /// Rendered by a template that was made from the names of the properties, because none is known.
        case example
        /// The content is the payload.
        case native
    }

    /// A text of which people see only the beginning.
    public enum Cut: Sendable, Equatable {
        /// An expression with a length: `$(news, 40)`. Lengths as .NET counts them, in UTF-16 units.
        case byTemplate(property: String, to: Int, of: Int)
        /// A phone that is locked shows about that many columns of it.
        case byPlatform(Part, about: Int, of: Int)
    }

    public enum Part: String, Sendable, CaseIterable {
        case title, subtitle, text
    }

    /// BCP 47; nil: of no language, as the template or the content has none.
    public let locale: String?
    public let platform: DevicePlatform
    public let source: Source
    /// What the screen shows.
    public let shown: NotificationPreview
    /// For the platform's service.
    public let payload: String
    public let headers: [String: String]
    /// Bytes that a payload of the platform may have.
    public let limit: Int
    /// Properties that the template shows and the content lacks, in the template's spelling: their places are empty.
    public let missing: [String]
    /// Properties of the content, in its language or in none, that the template does not use.
    public let unused: [String]
    public let cuts: [Cut]
    /// Why the platform refuses it or shows nothing; nil: no fault is known.
    public let fault: String?

    public var bytes: Int { payload.utf8.count }
    public var isTooLarge: Bool { bytes > limit }

    /// What a device with this template shows of a message.
    ///
    /// - Throws: `TemplateError` when no hub takes the template.
    public init(_ template: PreviewTemplate, showing message: StringObject) throws(TemplateError) {
        let registered = try template.registered()
        self.init(
            template, registered, message, locale: nil,
            unused: message.names.filter { !registered.uses.contains($0.lowercased()) }, isExample: false)
    }

    /// Of a template.
    init(
        _ template: PreviewTemplate, _ registered: RegisteredTemplate, _ message: StringObject, locale: String?,
        unused: [String], isExample: Bool
    ) {
        let properties = template.properties(of: message)
        let rendered = registered.render(properties)
        let has = TemplateProperties(properties)
        self.init(
            rendered.payload, rendered.headers, on: template.platform, format: template.platform.format, locale: locale,
            source: isExample ? .example : .template(template.name),
            missing: registered.required.filter { has[$0] == nil },
            unused: unused,
            cuts: registered.body.cuts(properties).map { .byTemplate(property: $0.name, to: $0.length, of: $0.full) })
    }

    /// Of a finished payload.
    ///
    /// - Parameter format: by whose rules it is judged: FCM hands a message of its own on to phones of Apple's.
    init(
        _ payload: String, _ headers: [String: String], on platform: DevicePlatform, format: String, locale: String?,
        source: Source = .native, missing: [String] = [], unused: [String] = [], cuts: [Cut] = []
    ) {
        self.locale = locale
        self.platform = platform
        self.source = source
        self.payload = payload
        self.headers = headers
        self.missing = missing
        self.unused = unused
        limit = format == platform.format ? platform.payloadLimit(headers) : TargetedMessage.sizeLimit
        shown = NotificationPreview(payload, platform: platform)
        fault = PlatformPayload.fault(in: payload, format: format, headers: headers)
        self.cuts = cuts + LockedScreen(platform).cuts(of: shown)
    }
}

extension Template {
    /// The properties that expressions with a length cut short.
    ///
    /// - Returns: each with the characters it is cut to and those it has, in UTF-16 units.
    func cuts(_ properties: [String: String]) -> [(name: String, length: Int, full: Int)] {
        let values = TemplateProperties(properties)
        return pieces.flatMap { piece -> [(name: String, length: Int, full: Int)] in
            guard case .expression(let expression, _) = piece else { return [] }
            return expression.parts.compactMap { part in
                guard case .property(let property) = part,
                    let full = (values[property.name] ?? property.fallback)?.utf16.count
                else { return nil }
                switch property.form {
                case .cut(let length) where full > length, .dotted(let length) where full > length:
                    return (property.name, length, full)
                default: return nil
                }
            }
        }
    }
}

/// How much of a text a phone shows while it is locked. No platform documents it, and screens differ: these are the figures
/// that senders of pushes give each other, in Latin letters; a Chinese, Japanese or Korean character takes two.
struct LockedScreen {
    let title: Int
    let text: Int

    init(_ platform: DevicePlatform) {
        switch platform {
        case .apns: (title, text) = (50, 178)  // four lines
        case .fcmV1, .gcm, .adm, .baidu, .xiaomi: (title, text) = (65, 240)  // unfolded
        case .browser: (title, text) = (50, 120)
        case .wns, .mpns: (title, text) = (48, 200)  // the size that Microsoft's page on notifications advises
        }
    }

    func cuts(of shown: NotificationPreview) -> [Preview.Cut] {
        if shown.isSilent { return [] }
        let parts: [(Preview.Part, String?, Int)] = [
            (.title, shown.title, title), (.subtitle, shown.subtitle, title), (.text, shown.body, text),
        ]
        return parts.compactMap { part, text, most in
            guard let columns = text?.columns, columns > most else { return nil }
            return .byPlatform(part, about: most, of: columns)
        }
    }
}
