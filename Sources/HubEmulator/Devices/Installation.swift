import Foundation
import PushModel

/// One device, as `PUT /{hub}/installations/{id}` registers it (docs/wire/notification-hubs.md, "Installations").
public struct Installation: Sendable, Equatable, Codable {
    public typealias Platform = DevicePlatform

    public struct Template: Sendable, Hashable, Codable {
        /// The payload with expressions as values: JSON, for Windows also XML.
        public var body: String
        /// Headers for the platform service; a value may be an expression.
        public var headers: [String: String]?
        public var expiry: String?
        /// nil: the template's name is its tag, even if it is not a valid one (recorded in November 2018).
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
    /// The device's own texts for its templates; a send's property of the same name takes precedence.
    public var pushVariables: [String: String]?
    public var templates: [String: Template]?
    /// Windows only: further tiles of the app, each with its own channel, by name.
    public var secondaryTiles: [String: SecondaryTile]?
    /// At a sender of FCM only: the topics that its app subscribed to. Case counts.
    public var topics: [String]?

    /// - Parameter templates: the bodies, by name.
    public init(
        _ id: String, platform: Platform = .apns, pushChannel: PushChannel, user: String? = nil, tags: [String] = [],
        templates: [String: String] = [:], topics: [String] = []
    ) {
        installationId = id
        userId = user
        self.platform = platform
        self.pushChannel = pushChannel
        self.tags = tags.isEmpty ? nil : tags
        self.templates = templates.isEmpty ? nil : templates.mapValues { Template(body: $0) }
        self.topics = topics.isEmpty ? nil : topics
    }

    /// Reads the body of a PUT.
    ///
    /// - Parameter service: where it is registered. A phone of an FCM sender has a token in place of a handle of its
    ///   platform.
    /// - Throws: `EmulatorError` naming the field that is missing, of the wrong kind, or not allowed.
    public init(json: [UInt8], at service: EmulatedService = .notificationHub) throws(EmulatorError) {
        do {
            self = try JSONDecoder().decode(Installation.self, from: Data(json))
        } catch let error as DecodingError {
            throw EmulatorError("The installation is not valid: \(error.inOneLine).")
        } catch {
            throw EmulatorError("The installation is not valid JSON.")
        }
        try check(at: service)
    }

    /// Checks the service's rules that types cannot express.
    ///
    /// - Throws: `EmulatorError` naming the broken rule.
    func check(at service: EmulatedService = .notificationHub) throws(EmulatorError) {
        guard !installationId.isEmpty else { throw EmulatorError("The installation has no installationId.") }
        switch service {
        case .notificationHub: try pushChannel.check(for: platform)
        case .fcm: try checkPhone()
        case .apns: try checkApplePhone()
        }
        if let expirationTime, Expiry(expirationTime) == nil {
            throw EmulatorError("The expirationTime is not a date and time such as 2027-01-15T08:00:00Z.")
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
            // The name itself may be no valid tag, such as `Template Name`: a read installation can be put back.
            try check(tags: (template.tags ?? []).filter { $0 != name })
        }
    }

    /// Bytes of one list of tags with its commas, as an error of the service says. 60 tags are documented but the
    /// service took more (docs/wire/notification-hubs.md, "Limits and tiers"), so more than 60 only get a warning.
    static let tagsLimit = 8_000
    /// Characters (docs/wire/notification-hubs.md, "Limits and tiers").
    static let templateNameLimit = 200

    /// - Throws: `EmulatorError` for an invalid tag, or too many tags.
    static func check(tags: [String]) throws(EmulatorError) {
        let size = tags.reduce(max(0, tags.count - 1)) { $0 + $1.utf8.count }
        guard size <= tagsLimit else {
            throw EmulatorError(
                "\(tags.count) tags have \(size) bytes together; at most \(tagsLimit) bytes are allowed.")
        }
        for tag in tags where !Tag.isPlain(tag) {
            do {
                _ = try Tag(tag)
            } catch {
                throw EmulatorError(ServiceError.invalidTagText(tag))
            }
        }
    }

    /// The expiry that means never.
    static let never = "9999-12-31T23:59:59.9999999Z"

    /// As the service returns it: with its defaults, without empty fields.
    func json() throws -> [UInt8] {
        var answer = self
        answer.expirationTime = expirationTime ?? Self.never
        for (name, template) in templates ?? [:] where template.tags == nil {
            answer.templates?[name]?.tags = [name]
        }
        for (tile, content) in secondaryTiles ?? [:] {
            for (name, template) in content.templates ?? [:] where template.tags == nil {
                answer.secondaryTiles?[tile]?.templates?[name]?.tags = [name]
            }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(Stored(installation: answer)))
    }

    /// `pushChannelExpired` is set by the service, never by the app.
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
