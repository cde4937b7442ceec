import Signing

/// Numbers that make each confirmation work once: a double click, or the way back and forward again, finds what the first one did.
///
/// A number names the person, the action and its fields, so it confirms nothing else.
struct ActionNumbers: Sendable {
    /// Of this start of the program; a confirmation from before asks again.
    private let key: [UInt8]

    init() { key = RandomBytes.make(32) }

    /// - Parameter random: tells two confirmations of the same apart. Default: a new one.
    func number(
        for person: String, _ action: String, _ fields: [(name: String, value: String)],
        random: String = Base64.encodeURL(RandomBytes.make(12))
    ) -> String {
        random + "." + mark(person, action, fields, random)
    }

    /// Whether it confirms just this.
    func isValid(
        _ number: String, for person: String, _ action: String, _ fields: [(name: String, value: String)]
    ) -> Bool {
        guard let dot = number.lastIndex(of: ".") else { return false }
        let random = String(number[..<dot])
        // Secrets are compared in a time that does not depend on where they differ.
        return Secret(number) == Secret(self.number(for: person, action, fields, random: random))
    }

    /// With the length in front of each text: `ab` and `c` are not `a` and `bc`.
    private func mark(
        _ person: String, _ action: String, _ fields: [(name: String, value: String)], _ random: String
    ) -> String {
        let texts = [person, action, random] + fields.flatMap { [$0.name, $0.value] }
        let message = texts.map { "\($0.utf8.count):\($0)" }.joined()
        return Base64.encodeURL(HMAC.sha256(key: key, Array(message.utf8)))
    }
}
