/// One template as devices of a hub have it: what a push looks like on them, without what is of one device (its tags, push
/// variables and handle).
public struct PlatformTemplate: Sendable, Hashable {
    /// In the spelling of the service: one of `platforms`.
    public let platform: String
    public let name: String
    /// As registered, or in its normal form.
    public let body: String
    /// By name as written.
    public let headers: [String: String]
    /// Devices that had it when they were last looked at. 0: nobody counted.
    public var devices: Int64
    /// When the platform gives up: a time, a number or an expression; nil: not said.
    public let expiry: String?

    /// - Parameters:
    ///   - headers: default: none.
    ///   - devices: default 0.
    ///   - expiry: default: none.
    public init(
        platform: String, name: String, body: String, headers: [String: String] = [:], devices: Int64 = 0,
        expiry: String? = nil
    ) {
        self.platform = platform
        self.name = name
        self.body = body
        self.headers = headers
        self.devices = devices
        self.expiry = expiry
    }

    /// Every platform that the service has devices of, in its spelling; it ignores case.
    public static let platforms = ["apns", "wns", "mpns", "adm", "gcm", "baidu", "browser", "fcmV1", "xiaomi"]

    /// A platform in the spelling of the service; nil: there is no such platform.
    public static func platform(named name: String) -> String? {
        let name = name.lowercased()
        return platforms.first { $0.lowercased() == name }
    }

    /// Whether its body is XML; those of other platforms are JSON.
    public var isXML: Bool { Self.isXML(platform) }

    static func isXML(_ platform: String) -> Bool { platform == "wns" || platform == "mpns" }

    /// The headers as a JSON object, in the order of their names; nil: none.
    public var headersJSON: String? {
        guard !headers.isEmpty else { return nil }
        var writer = StringObjectWriter()
        for (name, value) in headers.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            writer.append(name, value)
        }
        return String(decoding: writer.finish(), as: UTF8.self)
    }
}

/// Why something is no template, or no installation with templates.
public struct InvalidTemplate: Error, Sendable, Equatable, CustomStringConvertible {
    /// The member at fault: `templates.news.body`; nil: the whole.
    public let member: String?
    /// The rule that it breaks. Never contains a value.
    public let rule: String

    init(_ member: String?, _ rule: String) { (self.member, self.rule) = (member, rule) }

    public var description: String { (member.map { "\($0.onOneLine.clipped(to: 120)): " } ?? "") + rule }
}
