/// One page of a hub's registrations, an Atom feed, as far as it tells which installations there are.
///
/// An installation is registered once for itself and once for each of its templates, every time with the tag
/// `$InstallationId:{id}`. What has no such tag was registered by other means.
public struct RegistrationPage: Sendable, Equatable {
    /// In the order met, each once.
    public private(set) var installations: [String] = []
    /// Registrations on this page.
    public private(set) var count = 0
    /// Those that belong to no installation.
    public private(set) var others = 0

    /// - Returns: nil when it is no whole feed: something else, or cut off because a reply keeps 64 kB. Asking for fewer
    ///   registrations mends the latter.
    public init?(body: [UInt8]) {
        let feed = Self.withoutQuotedSections(body)
        guard feed.first("<feed") != nil else { return nil }
        // An empty list may come as `<feed ... />`.
        guard feed.first("</feed>") != nil || feed.first("<entry") == nil && feed.first("/>") != nil else { return nil }
        var seen: Set<String> = []
        var rest = feed
        while let start = rest.first("<entry"), let end = rest[start.upperBound...].first("</entry>") {
            count += 1
            if let found = Self.installation(in: Self.tags(in: rest[start.upperBound..<end.lowerBound])) {
                if seen.insert(found).inserted { installations.append(found) }
            } else {
                others += 1
            }
            rest = rest[end.upperBound...]
        }
    }

    /// A template may hold any text between `<![CDATA[` and `]]>`, other elements included.
    private static func withoutQuotedSections(_ body: [UInt8]) -> ArraySlice<UInt8> {
        var plain: [UInt8] = []
        var rest = body[...]
        while let start = rest.first("<![CDATA[") {
            plain += rest[..<start.lowerBound]
            guard let end = rest[start.upperBound...].first("]]>") else { return plain[...] }
            rest = rest[end.upperBound...]
        }
        return plain[...] + rest
    }

    private static func tags(in entry: ArraySlice<UInt8>) -> String {
        guard let start = entry.first("<Tags>"), let end = entry[start.upperBound...].first("</Tags>") else {
            return ""
        }
        return XMLText.unescape(String(decoding: entry[start.upperBound..<end.lowerBound], as: UTF8.self)[...])
    }

    /// The id out of tags with commas between. It may hold commas itself, so it ends at the brace that ends a tag.
    private static func installation(in tags: String) -> String? {
        let pattern = #/(?:^|,)\s*\$InstallationId:{(.+?)}\s*(?:,|$)/#.ignoresCase()
        return tags.firstMatch(of: pattern).map { String($0.1) }
    }
}
