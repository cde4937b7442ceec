import Signing

/// Texts that nobody can guess.
enum RandomKey {
    /// 256 bits of the system's random numbers: letters, digits, `-` and `_`.
    static func make() -> Secret {
        var source = SystemRandomNumberGenerator()
        return Secret(Base64.encodeURL((0..<32).map { _ in .random(in: .min ... .max, using: &source) }))
    }
}
