/// The name and the elements of a registration in XML, such as `AppleTemplateRegistrationDescription`
/// (azure-notificationhubs-dotnet).
struct RegistrationKind: Sendable, Equatable {
    let platform: Installation.Platform
    let isTemplate: Bool

    init(_ platform: Installation.Platform, isTemplate: Bool) {
        self.platform = platform
        self.isTemplate = isTemplate
    }

    private static let byName: [String: Installation.Platform] = {
        let own = Installation.Platform.allCases.map { ($0.kind, $0) }
        // One release of the .NET client wrote `Fcm` for the service's `Gcm`.
        return Dictionary(own + [("Fcm", .gcm)]) { first, _ in first }
    }()

    /// nil: unknown.
    init?(element: String) {
        guard element.hasSuffix("RegistrationDescription") else { return nil }
        let name = String(element.dropLast("RegistrationDescription".count))
        isTemplate = name.hasSuffix("Template")
        guard let platform = Self.byName[isTemplate ? String(name.dropLast("Template".count)) : name] else {
            return nil
        }
        self.platform = platform
    }

    var element: String { "\(platform.kind)\(isTemplate ? "Template" : "")RegistrationDescription" }

    /// The stage of an element: elements of a lower stage come before those of a higher one. Within a stage clients
    /// differ. nil: this kind has no such element.
    func stage(of element: String) -> Stage? {
        if Self.common.contains(element) { return .common }
        if handles.contains(element) { return .handle }
        if isTemplate, element == "BodyTemplate" { return .body }
        return isTemplate && extras.contains(element) ? .extra : nil
    }

    enum Stage: Int, Sendable, Comparable {
        case common, handle, body, extra

        static func < (a: Stage, b: Stage) -> Bool { a.rawValue < b.rawValue }
    }

    private static let common: Set = ["ETag", "ExpirationTime", "RegistrationId", "Tags", "PushVariables"]

    /// The elements of the handle.
    private var handles: Set<String> {
        switch platform {
        case .apns: ["DeviceToken"]
        case .wns, .mpns: ["ChannelUri", "SecondaryTileName"]
        case .adm: ["AdmRegistrationId"]
        case .gcm: ["GcmRegistrationId", "FcmRegistrationId"]
        case .fcmV1: ["FcmV1RegistrationId"]
        case .xiaomi: ["XiaomiRegistrationId"]
        case .browser: ["Endpoint", "P256DH", "Auth"]
        case .baidu: ["BaiduUserId", "BaiduChannelId"]
        }
    }

    private var extras: Set<String> {
        switch platform {
        case .apns: ["Expiry", "TemplateName", "Priority", "ApnsHeaders"]
        case .wns: ["WnsHeaders", "TemplateName"]
        case .mpns: ["MpnsHeaders", "TemplateName"]
        case .adm, .gcm, .fcmV1, .baidu, .browser, .xiaomi: ["TemplateName"]
        }
    }
}

extension Installation.Platform {
    /// The beginning of its `...RegistrationDescription`.
    fileprivate var kind: String {
        switch self {
        case .apns: "Apple"
        case .wns: "Windows"
        case .mpns: "Mpns"
        case .adm: "Adm"
        case .gcm: "Gcm"
        case .fcmV1: "FcmV1"
        case .baidu: "Baidu"
        case .browser: "Browser"
        case .xiaomi: "Xiaomi"
        }
    }
}
