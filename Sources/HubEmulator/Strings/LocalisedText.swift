/// A text that a phone looks up by its key, with the arguments that it puts in: `title_loc_key` and `title_loc_args`, or
/// `title-loc-key` and `title-loc-args` (docs/wire/fcm-apns.md, "Localisation keys").
struct LocalisedText: Sendable, Hashable {
    let key: String
    /// In the order of their places.
    let arguments: [String]

    /// What is shown when no text is known: `NEWS_TITLE (Anna, 3)`.
    var unresolved: String { arguments.isEmpty ? key : "\(key) (\(arguments.joined(separator: ", ")))" }
}

/// The texts of the app on one phone.
struct PhoneTexts: Sendable, Equatable {
    /// nil: the emulator was started without texts.
    let strings: StringsFile?
    /// The phone's language: `fr`, `pt-BR`. nil: unknown.
    let language: String?

    /// No texts: keys are shown as they are.
    static let none = PhoneTexts(strings: nil, language: nil)

    /// nil: the app has no text for the key in the phone's language.
    func text(of localised: LocalisedText) -> String? {
        format(of: localised)?.text(with: localised.arguments)
    }

    func format(of localised: LocalisedText) -> FormatString? {
        strings?.format(localised.key, language: language)
    }
}
