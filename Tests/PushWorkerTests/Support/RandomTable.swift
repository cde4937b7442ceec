import PushModel
import TestSupport

/// Random rows for two hubs of a test, `news` and `tagged`: every thing that decides which rows share a post.
struct RandomTable {
    private var random: SeededRandom
    /// One INSERT each.
    private(set) var statements: [String] = []
    /// What happens to the pointers before anything is claimed.
    private(set) var afterwards: [String] = []

    static let hubs: [HubSettings] = {
        var news = TestWorker.news
        news.settleMilliseconds = 0
        news.allowBroadcast = true
        var tagged = HubSettings(name: "tagged", hub: "tagged")
        tagged.localization = .tags
        tagged.languages = ["en": "en", "fr": "fr"]
        tagged.settleMilliseconds = 0
        return [news, tagged]
    }()

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        for _ in 0..<Int.random(in: 1...4, using: &random) { statements.append(statement()) }
        if Bool.random(using: &random) {
            // As after refusals of a hub that did not answer.
            afterwards.append("UPDATE push.due SET attempt = id % 3 WHERE kind = 'p' AND id % 2 = 0")
        }
    }

    private mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &random)] }

    private mutating func statement() -> String {
        let columns =
            "hub, tag, broadcast, handles, locale, content, format, headers, content_key, priority, on_doubt, pack, send_at, expires_at"
        let rows = (0..<Int.random(in: 1...12, using: &random)).flatMap { _ in content() }
        return "INSERT INTO push.message (\(columns)) VALUES \(rows.joined(separator: ", "))"
    }

    /// The rows of one content: one, or its translations.
    private mutating func content() -> [String] {
        let hub = pick(["news", "news", "news", "tagged"])
        let priority = pick([0, 1, 1, 1, 1, 2])
        let rest =
            "\(priority), \(pick(["NULL", "NULL", "'hold'", "'resend'"])), \(pick(["true", "true", "true", "false"])), "
            + pick([
                "now(), NULL", "now(), NULL", "now(), NULL", "now(), now() + interval '1 hour'",
                "now() - interval '2 hours', now() - interval '1 hour'",
            ])
        let headers = pick(["NULL", "NULL", "NULL", #"'{"apns-priority": "5"}'"#])
        if hub == "news", Int.random(in: 0..<6, using: &random) == 0 {
            let handle = pick(["aa01", "aa02", "aa03", "aa04"])
            let body = #"'{"aps": {"alert": "\#(pick(["Hello", "Good morning"]))"}}'"#
            return ["('news', NULL, false, '{\(handle)}', NULL, \(body), 'apple', NULL, NULL, \(rest))"]
        }
        let isBroadcast = hub == "news" && Int.random(in: 0..<15, using: &random) == 0
        let tag = pick(["World", "world", "Sports", "Culture", "Weather", "World || Sports", "Culture && !Sports"])
        let target = isBroadcast ? "NULL, true" : "'\(tag)', false"
        let key = isBroadcast || tag.contains(" ") ? "NULL" : pick(["NULL", "NULL", "NULL", "'k\(pick([1, 2, 3]))'"])
        let text = pick(["Hello", "Good morning", "Rain"])
        let locales: [String] =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: ["NULL"]
            case 1: [key == "NULL" && hub == "news" ? "'en'" : pick(["'en'", "'fr'"])]
            case 2 where hub == "news": ["'en'", "'fr'", "'zh-Hans'"]
            default: ["'en'", "'fr'"]
            }
        return locales.map { locale in
            let own = locale == "NULL" ? text : text + " " + locale.filter(\.isLetter)
            return
                "('\(hub)', \(target), NULL, \(locale), '{\"title\": \"\(own)\"}', 'template', \(headers), \(key), \(rest))"
        }
    }
}
