import ArgumentParser

/// How fast something is sent at most: a number above 0 a second; `none`; `default`, where there is one.
struct RateArgument: ExpressibleByArgument {
    /// As it was given.
    let text: String
    /// nil: `none` or `default`.
    let perSecond: Double?

    init?(argument: String) {
        text = argument
        perSecond = Double(argument)
        guard perSecond.map({ $0 > 0 && $0.isFinite }) ?? ["none", "default"].contains(argument) else { return nil }
    }

    var isDefault: Bool { text == "default" }
    var defaultValueDescription: String { text }
}
