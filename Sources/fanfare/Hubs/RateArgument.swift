import ArgumentParser
import PushModel

/// How fast something is sent at most: a number above 0 a second; `none`; `default`, where there is one.
struct RateArgument: ExpressibleByArgument {
    let rate: PostRate

    init?(argument: String) {
        guard let rate = PostRate(argument) else { return nil }
        self.rate = rate
    }

    var text: String { rate.text }
    /// nil: `none` or `default`.
    var perSecond: Double? { rate.limit == 0 ? nil : rate.limit }
    var isDefault: Bool { rate.limit == nil }
    var defaultValueDescription: String { text }
}
