import PushModel

/// One notification as a phone shows it: the template `card`.
package struct CardView: Sendable {
    package let cardNumber: Int
    package let cardTime: TimeView?
    package let cardApp: String
    package let cardInitial: String
    package let cardHue: Int
    package let cardLanguage: String?
    package let cardTitle: String?
    package let cardSubtitle: String?
    package let cardBody: String?
    package let cardBadge: String?
    package let cardSound: String?
    package let cardCategory: String?
    /// Labels without an effect.
    package let cardActions: [String]
    package let hasActions: Bool
    /// The buttons that can be pressed. nil: there are none.
    package let cardForm: ButtonFormView?
    /// The last button pressed.
    package let cardPressed: String?
    package let cardTemplate: String?
    /// Properties that the template shows and the message lacked.
    package let cardMissing: String?
    package let cardIsEmpty: Bool
    package let cardIsSilent: Bool
    package let cardPayload: String
    /// The page of the send it came from.
    package let cardLink: String?

    /// - Parameters:
    ///   - number: tells the cards of a phone apart.
    ///   - preview: what is read from `payload`.
    ///   - app: gives the icon its letter and its colour.
    ///   - language: a tag of BCP 47, for screen readers and fonts. nil: unknown.
    ///   - time: seconds since 1970. nil: it has not arrived.
    package init(
        _ number: Int, _ preview: NotificationPreview, payload: String, app: String, language: String? = nil,
        time: Double? = nil, template: String? = nil, missing: [String]? = nil, form: ButtonFormView? = nil,
        pressed: String? = nil, link: String? = nil
    ) {
        cardNumber = number
        cardTime = time.map { TimeView($0) }
        cardApp = app
        cardInitial = String(app.prefix(1)).uppercased()
        cardHue = Hue.number(of: app, among: 8)
        cardLanguage = language
        cardTitle = preview.title?.clipped
        cardSubtitle = preview.subtitle?.clipped
        cardBody = preview.body?.clipped
        cardBadge = preview.badge
        cardSound = preview.sound
        cardCategory = preview.category
        cardActions = Array(preview.actions.prefix(5))
        hasActions = !preview.actions.isEmpty
        cardForm = form
        cardPressed = pressed
        cardTemplate = template
        cardMissing = missing.map { $0.prefix(5).joined(separator: ", ").clipped }
        cardIsEmpty = preview.isEmpty
        cardIsSilent = preview.isSilent
        cardPayload = String(payload.prefix(2_000))
        cardLink = link
    }
}

/// The buttons of a notification, as a form that a press sends.
package struct ButtonFormView: Sendable {
    package let formAddress: String
    /// What the form says besides the button.
    package let formFields: [FieldView]
    /// nil: no button takes a text.
    package let formInput: InputView?
    package let formButtons: [ButtonView]

    package struct FieldView: Sendable {
        package let fieldName: String
        package let fieldValue: String
    }

    package struct InputView: Sendable {
        package let inputPlaceholder: String
    }

    package struct ButtonView: Sendable {
        package let buttonID: String
        package let buttonTitle: String
        /// `destructive`, or empty.
        package let buttonLook: String
        package let buttonHint: String

        package init(id: String, title: String, look: String, hint: String) {
            buttonID = id
            buttonTitle = title
            buttonLook = look
            buttonHint = hint
        }
    }

    /// - Parameters:
    ///   - fields: their names and values.
    ///   - placeholder: of the field for a text. nil: no button takes one.
    package init(
        address: String, fields: [(name: String, value: String)], placeholder: String?, buttons: [ButtonView]
    ) {
        formAddress = address
        formFields = fields.map { FieldView(fieldName: $0.name, fieldValue: $0.value) }
        formInput = placeholder.map { InputView(inputPlaceholder: $0) }
        formButtons = buttons
    }
}

extension String {
    /// Longer texts do not fit on a device, and a page of sixty devices must stay small.
    fileprivate var clipped: String { count > 500 ? prefix(499) + "…" : self }
}
