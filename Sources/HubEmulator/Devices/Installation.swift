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

    public struct Template: Sendable, Hashable, Codable {
        /// The text that becomes the payload, with expressions for its values: JSON, for Windows also XML.
        public var body: String
        /// Headers for the platform service; a value may be an expression.
        public var headers: [String: String]?
        public var expiry: String?
        /// nil: the template's name is its tag.
        public var tags: [String]?

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
    /// Windows only: further tiles of the app, each with a channel of its own, by name.
    public var secondaryTiles: [String: SecondaryTile]?

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
        if let expirationTime, Expiry(expirationTime) == nil {
            throw EmulatorError("The expirationTime is no date and time as 2027-01-15T08:00:00Z.")
        }
        try Self.check(tags, templates)
        if secondaryTiles?.isEmpty == false, platform != .wns {
            throw EmulatorError("Only an installation of the platform wns has secondaryTiles.")
        }
        for (name, tile) in secondaryTiles ?? [:] {
            guard !name.isEmpty, !tile.pushChannel.isEmpty else {
                throw EmulatorError("A secondary tile has a name and a pushChannel.")
            }
            try Self.check(tile.tags, tile.templates)
        }
    }

    private static func check(_ tags: [String]?, _ templates: [String: Template]?) throws(EmulatorError) {
        try check(tags: tags ?? [])
        for (name, template) in templates ?? [:] {
            guard !name.isEmpty, name.count <= templateNameLimit else {
                throw EmulatorError("A template name has 1 to \(templateNameLimit) characters.")
            }
            try check(tags: template.tags ?? [])
        }
    }

    /// A template's name is its tag. One that is no tag, such as `it's`, cannot be: what is read would not be taken back
    /// (which is all that its error would say).
    static func ownTags(_ name: String) -> [String] {
        (try? Tag(name)) == nil ? [] : [name]
    }

    /// Bytes of one list of tags, commas included: what an error of the service names. 60 tags are documented and more
    /// were taken (notification-hubs.md section 5): that is worth a warning.
    static let tagsLimit = 8_000
    /// Characters (notification-hubs.md section 5).
    static let templateNameLimit = 200

    /// - Throws: `EmulatorError` for a text that is no tag, or more tags than there may be.
    static func check(tags: [String]) throws(EmulatorError) {
        let size = tags.reduce(max(0, tags.count - 1)) { $0 + $1.utf8.count }
        guard size <= tagsLimit else {
            throw EmulatorError(
                "\(tags.count) tags of \(size) bytes are more than the \(tagsLimit) bytes there may be.")
        }
        for tag in tags where !Tag.isPlain(tag) {
            do {
                _ = try Tag(tag)
            } catch {
                throw EmulatorError(ServiceError.invalidTagText(tag))
            }
        }
    }

    /// The end of what never ends.
    static let never = "9999-12-31T23:59:59.9999999Z"

    /// As the service reads it back: with the defaults it fills in, without what is empty.
    func json() throws -> [UInt8] {
        var answer = self
        answer.expirationTime = expirationTime ?? Self.never
        for (name, template) in templates ?? [:] where template.tags == nil && !Self.ownTags(name).isEmpty {
            answer.templates?[name]?.tags = Self.ownTags(name)
        }
        for (tile, content) in secondaryTiles ?? [:] {
            for (name, template) in content.templates ?? [:] where template.tags == nil && !Self.ownTags(name).isEmpty {
                answer.secondaryTiles?[tile]?.templates?[name]?.tags = Self.ownTags(name)
            }
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
