/// One choice of a `select`.
package struct OptionView: Sendable {
    package let optionName: String
    package let isChosen: Bool

    /// - Parameter chosen: compared without case; nil: the first.
    package static func all(_ names: [String], chosen: String?) -> [OptionView] {
        let index = chosen.flatMap { chosen in names.firstIndex { $0.lowercased() == chosen.lowercased() } } ?? 0
        return names.enumerated().map { OptionView(optionName: $1, isChosen: $0 == index) }
    }
}
