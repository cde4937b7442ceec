import PushModel

/// A run of a campaign that a person steered, and the answers they got.
struct SteeredRun: Sendable, Equatable {
    /// How it has to end.
    enum Wish: Sendable, Equatable {
        case done, cancelled
        /// A cancel had no answer, so both are right.
        case either
    }

    /// Stands in the text of every message of it, between two `#`.
    let number: Int
    var wish = Wish.done
    /// Seconds since 1970: from the answer to a pause, or to a cancel, until somebody resumed it.
    var quiet: [ClosedRange<Double>] = []
    /// Seconds since 1970; nil: nobody paused it, as far as they know.
    var quietSince: Double?
    /// As it was found at the end; nil: there is no such run.
    var state: RunState?
    /// Its results are counted.
    var isClosed = false

    init(number: Int) { self.number = number }

    /// Each has a campaign of its own, which has this one run.
    var campaign: String { "c\(number)" }
    static let key = "1"

    mutating func expectQuiet(from moment: Double) { quietSince = quietSince ?? moment }

    /// Somebody asks for more of it, or nobody looks any more.
    mutating func allowTraffic(from moment: Double) {
        if let since = quietSince, since < moment { quiet.append(since...moment) }
        quietSince = nil
    }

    /// Two hubs, and for every third run two zones, whose hour has come in both.
    func spec(rate: Int?) -> String {
        let local =
            number.isMultiple(of: 3)
            ? #", "local": {"time": "00:01", "default": "UTC", "zones": ["UTC", "Africa/Abidjan"]}"# : ""
        return """
            {"hubs": ["news", "local"], "audience": {"view": "marketing.zoned"},
             "content": {"": {"title": "We miss you, {{name|friend}}", "url": "https://example.com/#\(campaign)#"}}
             \(rate.map { ", \"rate\": \($0)" } ?? "")\(local)}
            """
    }
}
