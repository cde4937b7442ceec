import Foundation
import PushModel

/// The body of a `POST` or `PUT` of a registration, checked as azure-notificationhubs-dotnet does it.
struct RegistrationBody: Sendable {
    private let kind: RegistrationKind
    private let fields: [String: String]
    private let headers: [String: String]

    /// - Throws: `EmulatorError` naming the element that is missing, out of order or not allowed.
    init(xml: [UInt8]) throws(EmulatorError) {
        let reader = try RegistrationReader(xml)
        guard let kind = reader.kind else { throw EmulatorError("The registration has no description.") }
        self.kind = kind
        fields = reader.fields
        headers = reader.headers
    }

    /// Does not check the template: that happens when the hub adds the registration.
    ///
    /// - Throws: `EmulatorError` naming the field that is missing or wrong.
    func registration(id: String, version: Int) throws(EmulatorError) -> Registration {
        let channel = try channel()
        try channel.check(for: kind.platform)
        let expirationTime = fields["ExpirationTime"]
        if let expirationTime, Expiry(expirationTime) == nil {
            throw EmulatorError("The ExpirationTime is not a date and time such as 2027-01-15T08:00:00Z.")
        }
        let name = fields["TemplateName"]
        guard name?.count ?? 0 <= Installation.templateNameLimit else {
            throw EmulatorError("A template name has at most \(Installation.templateNameLimit) characters.")
        }
        if let priority = fields["Priority"], UInt8(priority) == nil, !Self.isExpression(priority) {
            throw EmulatorError("The Priority is neither a number from 0 to 255 nor an expression.")
        }
        return Registration(
            id: id, version: version, platform: kind.platform, channel: channel, expirationTime: expirationTime,
            tags: try tags(), pushVariables: try variables(), template: try template(), templateName: name,
            priority: fields["Priority"], tile: fields["SecondaryTileName"])
    }

    private func required(_ names: String...) throws(EmulatorError) -> String {
        for name in names {
            if let value = fields[name], !value.isEmpty { return value }
        }
        throw EmulatorError("The registration has no \(names[0]).")
    }

    private func channel() throws(EmulatorError) -> PushChannel {
        switch kind.platform {
        case .apns: return .handle(try required("DeviceToken"))
        case .wns, .mpns: return .handle(try required("ChannelUri"))
        case .adm: return .handle(try required("AdmRegistrationId"))
        case .gcm: return .handle(try required("GcmRegistrationId", "FcmRegistrationId"))
        case .fcmV1: return .handle(try required("FcmV1RegistrationId"))
        case .xiaomi: return .handle(try required("XiaomiRegistrationId"))
        case .baidu: return .handle(try required("BaiduUserId") + "-" + required("BaiduChannelId"))
        case .browser:
            return .browser(
                endpoint: try required("Endpoint"), p256dh: try required("P256DH"), auth: try required("Auth"))
        }
    }

    private func tags() throws(EmulatorError) -> [String] {
        let tags = (fields["Tags"] ?? "").split(separator: ",")
            .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.filter { !$0.isEmpty }
        // The service makes these itself; a client that writes a registration of an installation back sends them, too.
        if let system = tags.first(where: { $0.hasPrefix("$") }) {
            throw EmulatorError("Tags can not start with $: '\(system.prefix(120))'. Leave out what the service adds.")
        }
        try Installation.check(tags: tags)
        return tags
    }

    private func variables() throws(EmulatorError) -> [String: String]? {
        guard let text = fields["PushVariables"], !text.isEmpty else { return nil }
        guard let variables = try? JSONDecoder().decode([String: String].self, from: Data(text.utf8)) else {
            throw EmulatorError("The PushVariables are not a JSON object of texts.")
        }
        return variables.isEmpty ? nil : variables
    }

    private func template() throws(EmulatorError) -> Installation.Template? {
        guard kind.isTemplate else { return nil }
        let body = try required("BodyTemplate")
        let expiry = fields["Expiry"]
        if let expiry, expiry != "0", Expiry(expiry) == nil, !Self.isExpression(expiry) {
            throw EmulatorError("The Expiry is neither a date, nor 0, nor an expression.")
        }
        if kind.platform == .apns, let odd = headers.keys.first(where: { !$0.lowercased().hasPrefix("apns-") }) {
            throw EmulatorError("The header \(odd.prefix(100)) does not begin with apns-.")
        }
        return Installation.Template(body: body, headers: headers.isEmpty ? nil : headers, expiry: expiry)
    }

    /// Whether it is evaluated at each send (docs/wire/notification-hubs.md, "Templates").
    private static func isExpression(_ text: String) -> Bool { text.first.map { "$.%#{".contains($0) } ?? false }
}
