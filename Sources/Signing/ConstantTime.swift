import COpenSSL

/// Comparing secrets without telling, by the time it takes, how much of a guess was right.
enum ConstantTime {
    /// The time depends on the length of the texts only.
    static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
    }
}
