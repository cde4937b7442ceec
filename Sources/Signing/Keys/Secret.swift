/// A text that must not be shown: a key, a token, a password.
///
/// Prints as `•••` wherever Swift prints: interpolation, `print`, `debugPrint`, `dump`, mirrors, and inside any value
/// that holds it. It is not `Codable`, so no encoder writes it by accident. `reveal()` is the only way to the text, and
/// easy to find in the code.
public struct Secret: Sendable {
    private let text: String

    public init(_ text: String) {
        self.text = text
    }

    /// The text itself. Only for the wire and for signing; never for a log, an error or a page.
    public func reveal() -> String { text }
}

extension Secret: Equatable {
    /// Compares bytes, in the same time however many of them agree.
    public static func == (one: Secret, other: Secret) -> Bool {
        ConstantTime.areEqual(one.text, other.text)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "•••" }
    public var debugDescription: String { "•••" }
    /// Without children: `dump` and other reflection find nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
