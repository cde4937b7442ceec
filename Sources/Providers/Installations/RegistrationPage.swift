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
    /// In order of appearance.
    public private(set) var registrations: [Registration] = []

    public struct Registration: Sendable, Equatable {
        /// What all registrations of a device have in common: the tag of its installation. Of one that was made by other
        /// means its id, which every hub gives.
        public let device: String
        /// As written.
        public let tags: [String]
    }

    /// - Returns: nil when the body is not a whole feed: something else, or cut off because a reply keeps 64 kB. Asking
    ///   for fewer registrations solves the latter.
    public init?(body: [UInt8]) {
        var scanner = XMLScanner(body)
        var feed: String?
        var entry: (depth: Int, tags: String?, id: String?)?
        var seen: Set<String> = []
        do throws(XMLError) {
            while let event = try scanner.next() {
                switch event {
                case .start:
                    feed = feed ?? scanner.elementName
                    if entry == nil, scanner.elementName == "entry" { entry = (scanner.depth, nil, nil) }
                case .end(let text, _):
                    guard let open = entry else { continue }
                    if scanner.elementName == "Tags" {
                        entry?.tags = open.tags ?? XMLText.decodeText(body, text)
                    } else if scanner.elementName == "RegistrationId" {
                        entry?.id = open.id ?? XMLText.decodeText(body, text)
                    } else if scanner.depth == open.depth {
                        count(open.tags ?? "", id: open.id, &seen)
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

    private mutating func count(_ text: String, id: String?, _ seen: inout Set<String>) {
        count += 1
        let (tags, installation) = Self.split(text)
        if let installation {
            if seen.insert(installation).inserted { installations.append(installation) }
        } else {
            others += 1
        }
        let device = installation.map { "$InstallationId:{\($0)}" } ?? id ?? ""
        registrations.append(Registration(device: device, tags: tags))
    }

    private static let mark = Array("$installationid:{".utf8)

    /// Comma-separated tags, and the id of the installation among them. The id may contain commas and braces itself, so it
    /// ends at the first brace that ends a tag. Reads each byte only a few times, whatever the tags are.
    private static func split(_ text: String) -> (tags: [String], installation: String?) {
        let text = Array(text.utf8)
        var tags: [String] = []
        var installation: String?
        var mayHaveOne = true
        var start = 0
        while true {
            start = afterBlanks(text, from: start)
            var comma = text[start...].firstIndex(of: UInt8(ascii: ",")) ?? text.count
            if mayHaveOne, begins(text, at: start) {
                // Without an end for the first one, a later one has no end either.
                mayHaveOne = false
                if let end = end(of: text, from: start + mark.count) {
                    installation = String(decoding: text[(start + mark.count)..<end], as: UTF8.self)
                    comma = text[end...].firstIndex(of: UInt8(ascii: ",")) ?? text.count
                }
            }
            let last = text[start..<comma].lastIndex { !isBlank($0) }
            if let last { tags.append(String(decoding: text[start...last], as: UTF8.self)) }
            guard comma < text.count else { return (tags, installation) }
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
        tags[start...].firstIndex { !isBlank($0) } ?? tags.count
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
