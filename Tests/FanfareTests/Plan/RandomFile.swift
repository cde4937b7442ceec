import Foundation
import PushModel

/// A random file of messages for the hubs `news` and `tagged`: what decides which rows share a post, keys, and lines that the
/// table refuses.
struct RandomFile {
    private var random: SeededRandom
    private let now: Int
    private(set) var lines: [String] = []
    /// The tag of each row, from row 1; nil: it has none.
    private(set) var tags: [String?] = []

    /// - Parameter now: seconds since 1970.
    init(seed: UInt64, now: Int) throws {
        random = SeededRandom(seed: seed)
        self.now = now
        for _ in 0..<number(1...14) { try addContent() }
    }

    var text: String { lines.joined(separator: "\n") + "\n" }

    private mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: values.indices, using: &random)] }
    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private mutating func add(_ line: [String: Any], rows: Int = 1) throws {
        let data = try JSONSerialization.data(withJSONObject: line, options: .sortedKeys)
        lines.append(String(decoding: data, as: UTF8.self))
        tags += Array(repeating: line["tag"] as? String, count: rows)
    }

    /// The lines of one content: one, or its translations.
    private mutating func addContent() throws {
        let hub = pick(["news", "news", "news", "tagged"])
        var line: [String: Any] = ["hub": hub, "priority": pick([0, 1, 1, 1, 1, 2])]
        if let onDoubt = pick([nil, nil, "hold", "resend"]) { line["on_doubt"] = onDoubt }
        if number(1...4) == 1 { line["pack"] = false }
        if number(1...4) == 1 { line["headers"] = ["apns-priority": "5"] }
        switch number(1...5) {
        case 1: line["expires_at"] = now + 86_400
        case 2: (line["send_at"], line["expires_at"]) = (now - 7_200, now - 3_600)
        default: break
        }
        let text = pick(["Hello", "Good morning", "Rain"])
        switch number(1...12) {
        case 1 where hub == "news":
            (line["handles"], line["format"], line["headers"]) = ([pick(["aa01", "aa02", "aa03"])], "apple", nil)
            line["content"] = ["aps": ["alert": text]]
            return try add(line)
        case 2 where hub == "news":
            (line["broadcast"], line["content"]) = (true, ["title": text])
            return try add(line)
        case 3 where number(1...3) == 1:
            (line["tag"], line["content"]) = ("no tag!", ["title": text])
            return try add(line)
        default: break
        }
        let tags = ["World", "world", "Sports", "Culture", "Weather", "World || Sports", "Culture && !Sports"]
        line["tag"] = pick(tags + (1...14).map { "t\($0)" })
        if number(1...5) == 1 { line["dedupe_key"] = "d\(number(1...60))" }
        try addTexts(text, to: line)
    }

    private mutating func addTexts(_ text: String, to line: [String: Any]) throws {
        var line = line
        let isTagged = line["hub"] as? String == "tagged"
        let isPlain = (line["tag"] as? String)?.contains(" ") == false
        switch number(1...5) {
        case 1:
            line["content"] = ["title": text]
            try add(line)
        case 2:
            line["translations"] = ["en": ["title": text + " en"], "fr": ["title": text + " fr"]]
            try add(line, rows: 2)
        default:
            if isPlain, line["dedupe_key"] == nil, number(1...3) == 1 { line["content_key"] = "k\(number(1...40))" }
            let locales = pick([["en"], ["en", "fr"], isTagged ? ["fr", "en"] : ["en", "fr", "zh-Hans"]])
            for locale in locales {
                (line["locale"], line["content"]) = (locale, ["title": text + " " + locale.filter(\.isLetter)])
                try add(line)
            }
        }
    }
}
