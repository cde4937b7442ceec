import PushModel

extension PhoneCard {
    /// A phone with what it would show, and what is wrong with that.
    package init(_ preview: Preview) {
        let language = preview.locale ?? ""
        let source: String
        switch preview.source {
        case .template(let name): source = name
        case .example: source = "an example"
        case .native: source = ""
        }
        let both = [language, source].filter { !$0.isEmpty }.joined(separator: ", ")
        self.init(
            owner: preview.platform.phone, about: [both, language],
            under: "\(HumanFormat.grouped(preview.bytes)) of \(HumanFormat.grouped(preview.limit)) bytes",
            blocks: [Self.screen(preview.shown), Self.extras(preview.shown), Self.faults(preview)].filter {
                !$0.isEmpty
            })
    }

    /// The notification itself.
    private static func screen(_ shown: NotificationPreview) -> [Paragraph] {
        if shown.isSilent { return [Paragraph("(silent: the app is woken, nothing is shown)", .dim)] }
        let texts = [
            shown.title.map { Paragraph($0, .bold) }, shown.subtitle.map { Paragraph($0) },
            shown.body.map { Paragraph($0) },
        ]
        let buttons = shown.actions.isEmpty ? nil : Paragraph(shown.actions.map { "[\($0)]" }.joined(separator: " "))
        return (texts + [buttons]).compactMap(\.self).filter { !$0.text.isEmpty }
    }

    private static func extras(_ shown: NotificationPreview) -> [Paragraph] {
        [("badge", shown.badge), ("sound", shown.sound), ("category", shown.category), ("level", shown.level)]
            .compactMap { name, value in value.map { Paragraph("\(name) \($0)", .dim) } }
    }

    private static func faults(_ preview: Preview) -> [Paragraph] {
        preview.faults.map { Paragraph($0, .alarm) } + preview.remarks.map { Paragraph($0, .dim) }
    }
}

extension DevicePlatform {
    /// For people.
    package var phone: String {
        switch self {
        case .apns: "iPhone"
        case .fcmV1: "Android"
        case .gcm: "Android (GCM)"
        case .adm: "Kindle"
        case .baidu: "Android (Baidu)"
        case .xiaomi: "Android (Xiaomi)"
        case .browser: "Browser"
        case .wns: "Windows"
        case .mpns: "Windows Phone"
        }
    }
}
