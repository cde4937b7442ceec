import Foundation
import PushModel

/// One device as its app registers it at a hub: `PUT /{hub}/installations/{id}` (notification-hubs.md section 8).
public struct Installation: Sendable, Equatable, Codable {
    public enum Platform: String, Sendable, Codable, CaseIterable {
        case apns, wns, mpns, adm, gcm, baidu, browser, fcmV1, xiaomi

        /// The `ServiceBusNotification-Format` that reaches this platform without a template.
        var format: String {
            switch self {
            case .apns: "apple"
            case .wns: "windows"
            case .mpns: "windowsphone"
            case .fcmV1: "fcmv1"
            case .adm, .gcm, .baidu, .browser, .xiaomi: rawValue
            }
        }
    }

    public struct Template: Sendable, Equatable, Codable {
        /// The JSON text that becomes the payload, with expressions for its values.
        public var body: String
        /// Headers for the platform service.
        public var headers: [String: String]?
        public var expiry: String?
        /// nil: the template's name is its tag.
        public var tags: [String]?

        /// A call coming in, which may be larger.
        var isVoIP: Bool {
            headers?.contains { $0.key.lowercased() == "apns-push-type" && $0.value.lowercased() == "voip" } ?? false
        }

        public init(body: String, headers: [String: String]? = nil, expiry: String? = nil, tags: [String]? = nil) {
            self.body = body
            self.headers = headers
            self.expiry = expiry
            self.tags = tags
        }
    }

    public var installationId: String
    public var userId: String?
    public var platform: Platform
    public var pushChannel: PushChannel
    /// ISO 8601. nil: never.
    public var expirationTime: String?
    public var tags: [String]?
    /// Texts of the device's own, for its templates; what a send says under the same name comes first.
    public var pushVariables: [String: String]?
    public var templates: [String: Template]?

    /// A device with templates given as their bodies, by name.
    public init(
        _ id: String, platform: Platform = .apns, pushChannel: PushChannel, user: String? = nil, tags: [String] = [],
        templates: [String: String] = [:]
    ) {
        installationId = id
        userId = user
        self.platform = platform
        self.pushChannel = pushChannel
        self.tags = tags.isEmpty ? nil : tags
        self.templates = templates.isEmpty ? nil : templates.mapValues { Template(body: $0) }
    }

    /// Reads the body of a PUT.
    ///
    /// - Throws: `EmulatorError` naming the field that is missing, of the wrong kind, or not allowed.
    public init(json: [UInt8]) throws(EmulatorError) {
        do {
            self = try JSONDecoder().decode(Installation.self, from: Data(json))
        } catch let error as DecodingError {
            throw EmulatorError("The installation is not valid: \(error.inOneLine).")
        } catch {
            throw EmulatorError("The installation is not valid JSON.")
        }
        try check()
    }

    /// The rules of the service that a type cannot hold.
    ///
    /// - Throws: `EmulatorError` naming what is wrong.
    func check() throws(EmulatorError) {
        guard !installationId.isEmpty else { throw EmulatorError("The installation has no installationId.") }
        try pushChannel.check(for: platform)
        for tag in tags ?? [] { try Self.check(tag: tag) }
        for (name, template) in templates ?? [:] {
            guard !name.isEmpty, name.count <= 200 else {
                throw EmulatorError("A template name has 1 to 200 characters.")
            }
            for tag in template.tags ?? [] { try Self.check(tag: tag) }
        }
    }

    /// The tags under which it is found, as written: the ones the service derives first, then its own.
    ///
    /// - Parameter template: the name of one of its templates; nil: the device itself.
    func derivedTags(template: String?) -> [String] {
        var all = ["$InstallationId:{\(installationId)}"]
        if let userId, !userId.isEmpty { all.append("$UserId:{\(userId)}") }
        all += tags ?? []
        if let template { all += templates?[template]?.tags ?? [template] }
        var seen: Set<String> = []
        return all.filter { seen.insert($0.lowercased()).inserted }
    }

    private static func check(tag: String) throws(EmulatorError) {
        do {
            _ = try Tag(tag)
        } catch {
            throw EmulatorError(ServiceError.invalidTagText(tag))
        }
    }

    /// The end of what never ends.
    static let never = "9999-12-31T23:59:59.9999999Z"

    /// As the service reads it back: with the defaults it fills in, without what is empty.
    func json() throws -> [UInt8] {
        var answer = self
        answer.expirationTime = expirationTime ?? Self.never
        for (name, template) in templates ?? [:] where template.tags == nil {
            answer.templates?[name]?.tags = [name]
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(Stored(installation: answer)))
    }

    /// `pushChannelExpired` is the service's to say, never the app's.
    private struct Stored: Encodable {
        let installation: Installation

        enum Key: CodingKey { case pushChannelExpired }

        func encode(to encoder: any Encoder) throws {
            try installation.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(false, forKey: .pushChannelExpired)
        }
    }
}
