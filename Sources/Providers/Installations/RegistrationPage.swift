import PushModel

/// The installations on one page of a hub's registrations, which is an Atom feed.
///
/// An installation has one registration for itself and one for each of its templates, all with the tag
/// `$InstallationId:{id}`. A registration without this tag was made by other means.
public struct RegistrationPage: Sendable, Equatable {
    /// In order of appearance, each once.
    public private(set) var installations: [String] = []
    /// Registrations on this page.
    public private(set) var count = 0
    /// Registrations that belong to no installation.
    public private(set) var others = 0

    /// - Returns: nil when the body is not a whole feed: something else, or cut off because a reply keeps 64 kB. Asking
    ///   for fewer registrations solves the latter.
    public init?(body: [UInt8]) {
        var scanner = XMLScanner(body)
        var feed: String?
        var entry: (depth: Int, tags: String?)?
        var seen: Set<String> = []
        do throws(XMLError) {
            while let event = try scanner.next() {
                switch event {
                case .start:
                    feed = feed ?? scanner.elementName
                    if entry == nil, scanner.elementName == "entry" { entry = (scanner.depth, nil) }
                case .end(let text, _):
                    guard let open = entry else { continue }
                    if scanner.elementName == "Tags" {
                        entry?.tags = open.tags ?? XMLText.decodeText(body, text)
                    } else if scanner.depth == open.depth {
                        count(open.tags ?? "", &seen)
                        entry = nil
                    }
                case .attribute, .instruction: break
                }
            }
        } catch {
            return nil
        }
        guard feed == "feed" else { return nil }
    }

    private mutating func count(_ tags: String, _ seen: inout Set<String>) {
        count += 1
        if let id = Self.installation(in: tags) {
            if seen.insert(id).inserted { installations.append(id) }
        } else {
            others += 1
        }
    }

    private static let mark = Array("$installationid:{".utf8)

    /// The id in comma-separated tags. It may contain commas and braces itself, so it ends at the first brace that ends
    /// a tag. Reads each byte only a few times, whatever the tags are.
    private static func installation(in tags: String) -> String? {
        let tags = Array(tags.utf8)
        var start = 0
        while true {
            start = afterBlanks(tags, from: start)
            if begins(tags, at: start) {
                let id = start + mark.count
                // Without an end for the first one, a later one has no end either.
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
