import COpenSSL

/// Comparing secrets without telling, by the time it takes, how much of a guess was right.
enum ConstantTime {
    /// By UTF-8 bytes. The time depends on the length of the texts only.
    static func areEqual(_ one: String, _ other: String) -> Bool {
        // Strings of our own making hold UTF-8 already: nothing is copied.
        var one = one
        var other = other
        return one.withUTF8 { one in
            other.withUTF8 { other in
                guard one.count == other.count else { return false }
                guard let some = one.baseAddress, let others = other.baseAddress else { return true }  // both empty
                return CRYPTO_memcmp(some, others, one.count) == 0
            }
        }
    }
}
