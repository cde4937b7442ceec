/// What names one app on one phone: a registration token, or `fid:` and an installation's id.
enum RegistrationToken {
    /// Most bytes. Our own limit; FCM documents none.
    static let limit = 4_096

    /// Whether a text may be one: visible ASCII characters without a blank.
    static func isValid(_ text: String) -> Bool {
        (1...limit).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21..<0x7F).contains($0) }
    }
}
