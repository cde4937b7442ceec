import PushModel

/// The texts of the app on one phone.
struct PhoneTexts: Sendable, Equatable {
    /// nil: the emulator was started without texts.
    let strings: StringsFile?
    /// The phone's language: `fr`, `pt-BR`. nil: unknown.
    let language: String?

    /// nil: the app has no text for the key in the phone's language.
    func text(of localised: LocalisedText) -> String? {
        format(of: localised)?.text(with: localised.arguments)
    }

    func format(of localised: LocalisedText) -> FormatString? {
        strings?.format(localised.key, language: language)
    }
}

extension NotificationPreview {
    /// As a phone with these texts shows it.
    ///
    /// - Parameter platform: nil: unknown. The payload is enough in most cases.
    init(_ payload: String, platform: DevicePlatform?, texts: PhoneTexts) {
        self.init(payload, platform: platform) { texts.text(of: $0) }
    }
}
