import Pages

/// The form that sends a message.
struct SendFormView: Sendable {
    let hubOptions: [OptionView]
    let formatOptions: [OptionView]
    let formTags: String?
    let isForEveryone: Bool
    let formBody: String
    /// Why the last try was refused before it was sent.
    let formProblem: String?

    init(_ source: PageSource, _ fields: FormFields, problem: String? = nil) {
        hubOptions = OptionView.all(source.deviceFinder.hubs.map(\.name), chosen: fields["hub"])
        formatOptions = OptionView.all(SendFormat.allCases.map(\.rawValue), chosen: fields["format"])
        formTags = fields["tags"]
        isForEveryone = fields["everyone"] != nil
        formBody = fields["body"] ?? "{\"message\": \"Hello from the emulator\"}"
        formProblem = problem
    }
}

/// The form that adds a phone.
struct PhoneFormView: Sendable {
    let hubOptions: [OptionView]
    let platformOptions: [OptionView]
    let formID: String?
    let formUser: String?
    let formTags: String?
    let formTitle: String?
    let formShows: String
    let formProblem: String?

    init(_ source: PageSource, _ fields: FormFields, problem: String? = nil) {
        hubOptions = OptionView.all(source.deviceFinder.hubs.map(\.name), chosen: fields["hub"])
        platformOptions = OptionView.all(
            Installation.Platform.allCases.map(\.rawValue), chosen: fields["platform"])
        formID = fields["id"]
        formUser = fields["user"]
        formTags = fields["tags"]
        formTitle = fields["title"]
        formShows = fields["shows"] ?? "message"
        formProblem = problem
    }

    /// The device that the form describes.
    ///
    /// - Parameter service: at an FCM sender its id is its token, and of its tags those that can be topics are. At one of APNs
    ///   it has no templates.
    /// - Throws: `EmulatorError` naming the field that is missing or wrong.
    static func installation(
        _ fields: FormFields, at service: EmulatedService = .notificationHub
    ) throws(EmulatorError) -> Installation {
        guard let id = fields["id"] else { throw EmulatorError("The phone has no id.") }
        let name = fields["platform"] ?? Installation.Platform.apns.rawValue
        guard let platform = Installation.Platform(rawValue: name) else {
            throw EmulatorError("There is no platform \(name).")
        }
        let tags = (fields["tags"] ?? "").split { $0 == "," || $0.isWhitespace }.map(String.init)
        if service == .fcm {
            return Installation(
                id, platform: platform, pushChannel: .handle(id), user: fields["user"],
                tags: tags.filter { !FCMTopic.isValid($0) }, topics: tags.filter { FCMTopic.isValid($0) })
        }
        if service == .apns { return Installation(id, platform: platform, user: fields["user"], tags: tags) }
        let shown = [fields["title"], fields["shows"]].compactMap { $0 }
        return Installation(id, platform: platform, user: fields["user"], tags: tags, showing: shown)
    }
}
