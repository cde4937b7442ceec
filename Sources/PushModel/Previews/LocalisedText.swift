/// A text that a phone looks up by its key, with the arguments that it puts in: `title_loc_key` and `title_loc_args`, or
/// `title-loc-key` and `title-loc-args` (docs/wire/fcm-apns.md, "Localisation keys").
public struct LocalisedText: Sendable, Hashable {
    public let key: String
    /// In the order of their places.
    public let arguments: [String]

    public init(key: String, arguments: [String]) {
        self.key = key
        self.arguments = arguments
    }

    /// What is shown when no text is known: `NEWS_TITLE (Anna, 3)`.
    public var unresolved: String { arguments.isEmpty ? key : "\(key) (\(arguments.joined(separator: ", ")))" }
}
