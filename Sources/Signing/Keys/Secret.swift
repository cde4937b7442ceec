/// A text that must not be seen: a key, a token, a password.
///
/// Prints as `•••` wherever Swift prints: interpolation, `print`, `debugPrint`, `dump`, mirrors, and inside any value
/// that holds it. It is not `Codable`, so no encoder writes it by accident. `reveal()` is the one way out, and stands
/// out where it is used.
public struct Secret: Sendable {
    private let text: String

    public init(_ text: String) {
        self.text = text
    }

    /// The text itself. For the wire and for signing only; never for a log, an error or a page.
    public func reveal() -> String { text }
}

extension Secret: Equatable {
    /// Compares bytes, and takes as long for a near miss as for a plain one.
    public static func == (one: Secret, other: Secret) -> Bool {
        ConstantTime.areEqual(one.text, other.text)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "•••" }
    public var debugDescription: String { "•••" }
    /// No children: `dump` and everything else that looks inside finds nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
