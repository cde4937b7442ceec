import Signing

/// Texts that nobody can guess.
enum RandomKey {
    /// 256 bits of the system's random numbers: letters, digits, `-` and `_`.
    static func make() -> Secret { Secret(Base64.encodeURL(RandomBytes.make(32))) }
}
