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

    private static let mark = Array("$installationid:{".utf8)

    /// The id out of tags with commas between. It may hold commas and braces itself, so it ends at the first brace that ends a
    /// tag. Each byte is looked at a few times at most, whatever the tags are.
    private static func installation(in tags: String) -> String? {
        let tags = Array(tags.utf8)
        var start = 0
        while true {
            start = afterBlanks(tags, from: start)
            if begins(tags, at: start) {
                let id = start + mark.count
                // Where the first one finds no end, a later one finds none either.
                guard let end = end(of: tags, from: id) else { return nil }
                return String(decoding: tags[id..<end], as: UTF8.self)
            }
            guard let comma = tags[start...].firstIndex(of: UInt8(ascii: ",")) else { return nil }
            start = comma + 1
        }
    }

    private static func begins(_ tags: [UInt8], at start: Int) -> Bool {
        tags.count - start > mark.count
            && mark.indices.allSatisfy { index in
                let byte = tags[start + index]
                let isUpper = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                return (isUpper ? byte | 0x20 : byte) == mark[index]
            }
    }

    /// The brace that ends the tag; an id has at least one character.
    private static func end(of tags: [UInt8], from id: Int) -> Int? {
        var index = id + 1
        while index < tags.count, let brace = tags[index...].firstIndex(of: UInt8(ascii: "}")) {
            let next = afterBlanks(tags, from: brace + 1)
            if next == tags.count || tags[next] == UInt8(ascii: ",") { return brace }
            index = next
        }
        return nil
    }

    private static func afterBlanks(_ tags: [UInt8], from start: Int) -> Int {
        tags[start...].firstIndex { $0 != 0x20 && !(0x09...0x0D).contains($0) } ?? tags.count
    }
}
