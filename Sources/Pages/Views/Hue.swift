/// A colour made of a name, so that one looks the same everywhere: the class `hue-3`.
package enum Hue {
    /// Those that the style has.
    package static let count = 12

    /// - Parameter choices: how many of them there are to choose from, at most `count`.
    package static func number(of name: String, among choices: Int = count) -> Int {
        name.utf8.reduce(0) { ($0 * 31 + Int($1)) % choices }
    }
}
