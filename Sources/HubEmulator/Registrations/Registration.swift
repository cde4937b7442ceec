/// One thing the service lists among a hub's registrations: a registration made as such, or a device, a template or a
/// tile of an installation (notification-hubs.md section 8).
struct Registration: Sendable, Equatable, Codable {
    /// `8168029009148896589-2672269621075845440-1`.
    var id: String
    /// 1, and one more each time it, or the installation it is made from, is written.
    var version: Int
    var platform: Installation.Platform
    /// Baidu's two texts, user and channel, have a hyphen between them, as in an installation.
    var channel: PushChannel
    /// ISO 8601. nil: never.
    var expirationTime: String?
    /// As written; for an installation with those the service derives.
    var tags: [String]
    var pushVariables: [String: String]?
    /// nil: the device itself, in its platform's own format.
    var template: Installation.Template?
    var templateName: String?
    /// Apple: an expression, or a number of 0 to 255.
    var priority: String?
    /// Windows: the tile it belongs to.
    var tile: String?

    var etag: String { "W/\"\(version)\"" }

    /// - Parameter text: a value of `If-Match`: a list of what `etag` says, with or without `W/` and quotation marks, as
    ///   clients differ; `*` is any version.
    func isNamed(by text: String) -> Bool {
        text.split(separator: ",").contains { part in
            var tag = part.drop { $0 == " " }
            if tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
            let bare = tag.filter { $0 != "\"" && $0 != " " }
            return bare == "*" || bare == "\(version)"
        }
    }
}

/// How far a list of registrations was read.
struct RegistrationMark: Sendable, Comparable {
    let device: String
    /// The key of the part; nil: the device itself.
    let template: String?

    static func < (a: RegistrationMark, b: RegistrationMark) -> Bool {
        if a.device != b.device { return a.device < b.device }
        guard let mine = a.template, let other = b.template else { return a.template == nil && b.template != nil }
        return mine < other
    }
}
