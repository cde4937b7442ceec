import COpenSSL

/// Compares secrets in a time that does not depend on how much of a guess is right.
enum ConstantTime {
    /// Compares UTF-8 bytes. The time depends only on the length of the texts.
    static func areEqual(_ one: String, _ other: String) -> Bool {
        // Native Swift strings hold UTF-8 already: nothing is copied.
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
