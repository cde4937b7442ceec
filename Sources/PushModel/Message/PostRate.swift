/// How fast something is sent at most: a number above 0 a second, `none`, or `default`.
package struct PostRate: Sendable, Equatable {
    /// As it was given.
    package let text: String
    /// As `push.set_rate` has it: 0: no limit; nil: as the settings say.
    package let limit: Double?

    package init?(_ text: String) {
        self.text = text
        switch text {
        case "none": limit = 0
        case "default": limit = nil
        default:
            guard let number = Double(text), number > 0, number.isFinite else { return nil }
            limit = number
        }
    }

    package var words: String {
        switch limit {
        case nil: "what the settings say"
        case 0: "no limit"
        case let limit?: "at most \(Self.words(limit))"
        }
    }

    /// `200 posts a second`
    package static func words(_ rate: Double) -> String {
        let number = rate == rate.rounded() && rate < 1e15 ? "\(Int64(rate))" : "\(rate)"
        return "\(number) \(rate == 1 ? "post" : "posts") a second"
    }
}
