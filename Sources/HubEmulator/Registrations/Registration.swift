/// One entry in the list of a hub's registrations: a registration made on its own, or a device, a template or a tile of
/// an installation (docs/wire/notification-hubs.md, "Registrations").
struct Registration: Sendable, Equatable, Codable {
    /// `8168029009148896589-2672269621075845440-1`.
    var id: String
    /// Begins with 1; increases with every change of it or of its installation.
    var version: Int
    var platform: Installation.Platform
    /// Baidu: user and channel, joined by a hyphen as in an installation.
    var channel: PushChannel
    /// ISO 8601. nil: never.
    var expirationTime: String?
    /// As written; for an installation with the derived ones.
    var tags: [String]
    var pushVariables: [String: String]?
    /// nil: for the platform's own format.
    var template: Installation.Template?
    var templateName: String?
    /// Apple: an expression, or a number from 0 to 255.
    var priority: String?
    /// Windows: the name of its secondary tile.
    var tile: String?

    var etag: String { "W/\"\(version)\"" }

    /// - Parameter text: the value of `If-Match`: a list of ETags, with or without `W/` and quotation marks, as clients
    ///   differ; `*` is any version.
    func isMatched(by text: String) -> Bool {
        text.split(separator: ",").contains { part in
            var tag = part.drop { $0 == " " }
            if tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
            let bare = tag.filter { $0 != "\"" && $0 != " " }
            return bare == "*" || bare == "\(version)"
        }
    }
}
