import Pages
import PushModel

/// What the phones of one hub show of a spec.
struct WritePhonesView {
    struct Phone {
        let phoneWords: String
        let phoneMarks: [String]
        let phoneScreen: ScreenView
    }

    let phonesHub: String
    let phonesBody: String?
    /// What is sent to nobody.
    let phonesRefused: [String]
    let phonesNotes: [String]
    let phones: [Phone]

    /// A page of more is read by nobody.
    static let limit = 60

    init(_ hub: SpecLook.Hub) {
        let previews = hub.previews
        phonesHub = previews.hub
        phonesBody = previews.largestBody.map {
            "Largest body: \(HumanFormat.grouped($0)) of at most \(HumanFormat.grouped(previews.bodyLimit)) bytes."
        }
        phonesRefused = previews.refused.map { refused in
            (refused.locale.map { "\($0): " } ?? "") + "\(refused.reason.rawValue): \(refused.text)"
        }
        // What is wrong comes first.
        let sorted = previews.all.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
        phones = sorted.prefix(Self.limit).enumerated().map { number, one in
            Phone(one.element, number, at: hub)
        }
        phonesNotes = Self.notes(previews)
    }

    private static func notes(_ previews: Previews) -> [String] {
        var notes: [String] = []
        if previews.hasExamples {
            notes.append("No template is known for some phones, so they show an example: fanfare template learn.")
        }
        notes += previews.broken.map { "No hub takes the template \($0.template): \($0.why)" }
        if !previews.unshown.isEmpty {
            notes.append("No template shows " + previews.unshown.joined(separator: ", ") + ".")
        }
        let omitted = max(0, previews.all.count - limit) + previews.leftOut
        if omitted > 0 { notes.append("\(HumanFormat.grouped(omitted)) more phones are not shown.") }
        return notes
    }
}

extension WritePhonesView.Phone {
    init(_ preview: Preview, _ number: Int, at hub: SpecLook.Hub) {
        let kind = ScreenView.kind(of: preview.platform)
        phoneWords = [preview.locale, kind].compactMap(\.self).joined(separator: " · ")
        phoneMarks = preview.marks(own: hub.languages)
        let template: String? = if case .template(let name) = preview.source { name } else { nil }
        phoneScreen = ScreenView(
            // Screen readers list them, so each has a name of its own.
            "\(phoneWords), phone \(number + 1) of hub \(hub.previews.hub)", platform: preview.platform,
            cards: [
                CardView(
                    number, preview.shown, payload: preview.payload, app: hub.previews.hub, language: preview.locale,
                    template: template, missing: preview.missing.isEmpty ? nil : preview.missing)
            ])
    }
}

extension Preview {
    fileprivate var rank: Int {
        if fault != nil || isTooLarge || shown.isEmpty { return 0 }
        return missing.isEmpty ? 2 : 1
    }

    /// What is worth knowing, in words.
    ///
    /// - Parameter own: languages that have texts of their own.
    fileprivate func marks(own: [String]) -> [String] {
        var marks: [String] = []
        if let fault { marks.append("refused: \(fault)") }
        if isTooLarge {
            marks.append("too large: \(HumanFormat.grouped(bytes)) of at most \(HumanFormat.grouped(limit)) bytes")
        }
        if let locale, !own.isEmpty, !own.contains(where: { $0.lowercased() == locale.lowercased() }) {
            marks.append("fallback: \(locale) has no text of its own")
        }
        if case .example = source { marks.append("example") }
        marks += cuts.map { cut in
            switch cut {
            case .byTemplate(let property, let length, let full): "\(property) is cut to \(length) of \(full)"
            case .byPlatform(let part, let most, let columns):
                "\(part.rawValue): about \(most) of \(columns) columns are seen on a locked phone"
            }
        }
        if !unused.isEmpty { marks.append("not shown: " + unused.prefix(5).joined(separator: ", ")) }
        return marks
    }
}
