import Foundation
import PushModel

/// Registrations in the service's form: Atom with a description inside (recordings of azure-notificationhubs-dotnet).
struct RegistrationXML: Sendable {
    /// `http://host/path`, without the query.
    let address: String
    /// With its question mark; empty: no query.
    let query: String
    let time: CivilTime

    private static let atom = "xmlns=\"http://www.w3.org/2005/Atom\""
    private static let etags = "xmlns:a=\"http://schemas.microsoft.com/ado/2007/08/dataservices/metadata\""
    private static let schema =
        "xmlns=\"http://schemas.microsoft.com/netservices/2010/10/servicebus/connect\" "
        + "xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\""

    /// - Parameter next: the query for the next page, without its question mark; nil: the last page.
    func feed(_ registrations: [Registration], next: String?) -> [UInt8] {
        let own = (address + query).attributeEscaped
        let following = next.map { "<link rel=\"next\" href=\"\((address + "?" + $0).attributeEscaped)\"/>" } ?? ""
        let entries = registrations.map { registration in
            entry(registration, at: "\(address)/\(registration.id)\(query)", "\(Self.etags)")
        }
        return Array(
            ("<feed \(Self.atom)><title type=\"text\">Registrations</title><id>\(own)</id>"
                + "<updated>\(time.internet)</updated><link rel=\"self\" href=\"\(own)\"/>\(following)"
                + "\(entries.joined())</feed>").utf8)
    }

    /// One registration, at this address.
    func entry(_ registration: Registration) -> [UInt8] {
        Array(entry(registration, at: address + query, "\(Self.atom) \(Self.etags)").utf8)
    }

    private func entry(_ registration: Registration, at address: String, _ spaces: String) -> String {
        let own = address.attributeEscaped
        return "<entry a:etag=\"\(registration.etag.attributeEscaped)\" \(spaces)><id>\(own)</id>"
            + "<title type=\"text\">\(registration.id)</title><published>\(time.internet)</published>"
            + "<updated>\(time.internet)</updated><link rel=\"self\" href=\"\(own)\"/>"
            + "<content type=\"application/xml\">\(description(registration))</content></entry>"
    }

    private func description(_ registration: Registration) -> String {
        let kind = RegistrationKind(registration.platform, isTemplate: registration.template != nil)
        let expiry = registration.expirationTime ?? Installation.never
        let tags = registration.tags.isEmpty ? "" : element("Tags", registration.tags.joined(separator: ","))
        return "<\(kind.element) \(Self.schema)><ETag>\(registration.version)</ETag>"
            + element("ExpirationTime", expiry) + element("RegistrationId", registration.id)
            + tags + variables(of: registration) + channel(of: registration)
            + (registration.tile.map { element("SecondaryTileName", $0) } ?? "")
            + (registration.template.map { template($0, of: registration) } ?? "") + "</\(kind.element)>"
    }

    /// As JSON text, as at the service.
    private func variables(of registration: Registration) -> String {
        guard let variables = registration.pushVariables, !variables.isEmpty else { return "" }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A dictionary of texts can always be encoded.
        guard let json = try? encoder.encode(variables) else { return "" }
        return element("PushVariables", String(decoding: json, as: UTF8.self))
    }

    private func channel(of registration: Registration) -> String {
        switch (registration.channel, registration.platform) {
        case (.subscription(let browser), _):
            return element("Endpoint", browser.endpoint) + element("P256DH", browser.p256dh)
                + element("Auth", browser.auth)
        case (.handle(let handle), .apns): return element("DeviceToken", handle)
        case (.handle(let handle), .wns), (.handle(let handle), .mpns): return element("ChannelUri", handle)
        case (.handle(let handle), .adm): return element("AdmRegistrationId", handle)
        case (.handle(let handle), .gcm): return element("GcmRegistrationId", handle)
        case (.handle(let handle), .fcmV1): return element("FcmV1RegistrationId", handle)
        case (.handle(let handle), .xiaomi): return element("XiaomiRegistrationId", handle)
        case (.handle(let handle), .browser): return element("Endpoint", handle)
        case (.handle(let handle), .baidu):
            // One text in an installation, two in a registration.
            let parts = handle.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            return element("BaiduUserId", String(parts[0])) + element("BaiduChannelId", parts.dropFirst().joined())
        }
    }

    private func template(_ template: Installation.Template, of registration: Registration) -> String {
        // Splits the end mark of a CDATA section in two.
        let body = template.body.replacing(scalars: "]]>", with: "]]]]><![CDATA[>").withoutControls
        let expiry = template.expiry.map { element("Expiry", $0) } ?? "<Expiry i:nil=\"true\"/>"
        let headers = (template.headers ?? [:]).sorted { $0.key < $1.key }
        func list(_ kind: String) -> String {
            if headers.isEmpty { return "<\(kind)Headers/>" }
            let pairs = headers.map { header in
                "<\(kind)Header>\(element("Header", header.key))\(element("Value", header.value))</\(kind)Header>"
            }
            return "<\(kind)Headers>\(pairs.joined())</\(kind)Headers>"
        }
        let start = "<BodyTemplate><![CDATA[\(body)]]></BodyTemplate>"
        let end = registration.templateName.map { element("TemplateName", $0) } ?? ""
        let priority = registration.priority.map { element("Priority", $0) } ?? ""
        return switch registration.platform {
        case .apns: start + expiry + end + priority + list("Apns")
        case .wns: start + list("Wns") + end
        case .mpns: start + list("Mpns") + end
        case .adm, .gcm, .fcmV1, .baidu, .browser, .xiaomi: start + end
        }
    }

    private func element(_ name: String, _ text: String) -> String { "<\(name)>\(text.xmlEscaped)</\(name)>" }
}

extension String {
    /// Escaped for an attribute in quotation marks.
    fileprivate var attributeEscaped: String { xmlEscaped.replacing(scalars: "\"", with: "&quot;") }

    /// For a CDATA section: characters that XML cannot carry become `?`.
    fileprivate var withoutControls: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.isInXML ? $0 : "?" }))
    }
}
