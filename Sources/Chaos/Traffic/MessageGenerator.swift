import HubEmulator
import PushModel

/// What backends write, of every kind there is. Pure: a seed in, rows out.
///
/// Every content has a marker of its own, in its text and in `meta`; every tag is used for one content only. So a request
/// shows what it carries by its tags and its body.
struct MessageGenerator {
    /// A row of push.message; times are seconds from now.
    struct Row: Encodable, Sendable {
        var hub: String
        var tag: String?
        var handles: [String]?
        var locale: String?
        var content: String
        var contentKey: String?
        var format = "template"
        var delay = 0.0
        var expires: Double?
        var priority = 1
        var dedupeKey: String?
        var onDoubt: String?
        var marker: String
    }

    var random: SeededRandom
    private(set) var number = 0
    /// Rows that were made for FCM, and for APNs.
    var rowsForFCM = 0
    var rowsForAPNs = 0

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// The rows of one INSERT each.
    mutating func next() -> [[Row]] {
        number += 1
        let tag = "t\(number)"
        var row = Row(hub: TestHub.news.rawValue, tag: tag, content: Self.text("\(number)"), marker: "\(number)")
        row.priority = [0, 1, 1, 1, 2].randomElement(using: &random) ?? 1
        if Int.random(in: 0..<4, using: &random) == 0 { row.onDoubt = "resend" }
        switch Int.random(in: 0..<25, using: &random) {
        case 0, 1:  // a content in three languages, in one statement
            return [["en", "fr", "zh-Hans"].map { Self.translated(row, $0) }]
        case 2:  // ... in two, joined by a key
            row.contentKey = "key-\(number)"
            return [[Self.translated(row, "en")], [Self.translated(row, "fr"), Self.translated(row, "zh-Hans")]]
        case 3, 4, 5:  // one content for several tags, which may share a post
            return [
                (0..<Int.random(in: 2...8, using: &random)).map { part in
                    var each = row
                    each.tag = "\(tag).\(part)"
                    return each
                }
            ]
        case 6:
            row.tag = "(\(tag).a || \(tag).b) && !\(tag).c"
        case 7:
            row.tag = nil
            row.handles = (0..<Int.random(in: 1...3, using: &random)).map { "\(10_000_000_000_000 + number * 10 + $0)" }
            row.format = "apple"
            row.content = "{\"aps\":{\"alert\":\"#\(number)#\"}}"
        case 8:
            row.delay = Double.random(in: 0.5...8, using: &random)
        case 9:
            row.delay = 86_400
        case 10:
            row.expires = Double.random(in: 0.5...4, using: &random)
        case 11:  // said twice, for other devices: the second is not sent
            row.dedupeKey = "once-\(number)"
            var again = row.saying(row.marker + ".again", in: nil, Self.text)
            again.tag = "\(tag).again"
            return [[row], [again]]
        case 16:  // refused whenever it comes
            let status = Fault.refusals.randomElement(using: &random) ?? 404
            row.tag = "(\(tag).a || \(Self.refusedTag(status)))"
        case 12, 13:
            row.hub = TestHub.local.rawValue
            return [[Self.translated(row, "en"), Self.translated(row, "fr")]]
        case 17...20:
            return nextForFCM(row)
        case 21...24:
            return nextForAPNs(row)
        default:
            break
        }
        return [[row]]
    }

    /// A tag whose posts the hub answers with this status.
    static func refusedTag(_ status: Int) -> String { "refused-\(status)" }

    /// A content of a hub whose kind has templates.
    private static func text(_ marker: String) -> String { "{\"message\":\"#\(marker)#\"}" }

    private static func translated(_ row: Row, _ locale: String) -> Row {
        row.saying(row.marker + "." + locale, in: locale, Self.text)
    }
}

extension MessageGenerator.Row {
    /// The same for other readers.
    func saying(_ marker: String, in locale: String?, _ text: (String) -> String) -> Self {
        var row = self
        row.locale = locale
        row.marker = marker
        row.content = text(marker)
        return row
    }
}
