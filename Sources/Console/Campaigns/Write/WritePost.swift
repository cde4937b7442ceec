import Pages
import PushModel
import Store

/// A form of a campaign as a browser sends it: what was typed, and what the person wants of it. Pure.
struct WritePost: Sendable, Equatable {
    /// What a button of the form does.
    enum Deed: String, Sendable {
        /// Checks and shows, and changes nothing.
        case look
        /// More empty rows.
        case more
        /// The same spec as JSON, and as a form.
        case json, form
        case draft, save
    }

    /// How the spec is written. Only what is shown counts, so that two texts never contradict each other.
    enum Writing: Sendable, Equatable {
        case form(CampaignForm)
        case json(String)
    }

    /// A value for a placeholder: `{{name}}`.
    struct Sample: Sendable, Equatable {
        var name: String
        var text: String
    }

    var deed = Deed.look
    /// Of a campaign that is new.
    var name = ""
    /// The revision that it was written on; nil: there was none.
    var base: Int32?
    /// Empty rows and languages that are offered.
    var spare = Self.leastSpare
    var writing = Writing.form(CampaignForm())
    var samples: [Sample] = []

    /// A spec with more rows is edited as JSON: no browser is quick with such a form.
    static let mostRows = 5_000
    private static let mostFields = 4 * mostRows
    static let leastSpare = 2
    private static let mostSpare = 50

    /// - Parameter written: what there is; nil: nothing yet.
    init(_ written: CampaignStore.Written? = nil) {
        guard let written else { return }
        base = written.revision
        writing = Self.writing(of: written.spec)
    }

    /// - Throws: `FieldProblem` for a form that no page of the console sends.
    init(_ sent: FormFields) throws(FieldProblem) {
        guard sent.pairs.count <= Self.mostFields else {
            throw FieldProblem(
                field: "spec",
                words:
                    "A form has at most \(HumanFormat.grouped(Self.mostFields)) fields. A spec with more is edited as JSON."
            )
        }
        deed = sent["do"].flatMap(Deed.init) ?? .look
        name = sent["name"].map { FieldText.trimmed($0[...]) } ?? ""
        // A name that was changed is another campaign.
        base = sent["revisionof"].map { $0 == name } == false ? nil : sent["revision"].flatMap { Int32($0) }
        spare = min(max(sent["spare"].flatMap { Int($0) } ?? 0, Self.leastSpare), Self.mostSpare)
        if let json = sent.pairs.first(where: { $0.name == "spec" })?.value {
            writing = .json(json.replacing(scalars: "\r\n", with: "\n"))
        } else {
            writing = .form(try CampaignForm(sent))
        }
        samples = sent.pairs.compactMap { pair in
            pair.name.hasPrefix("with.") && !pair.value.isEmpty
                ? Sample(name: String(pair.name.dropFirst(5)), text: pair.value) : nil
        }
    }

    /// - Throws: for a text that is not JSON.
    func spec() throws(SpecFault) -> String {
        switch writing {
        case .form(let form): return form.spec
        case .json(let text):
            let json = try SpecText(text)
            // White space of a content would be sent, too.
            return json.compact(json.root)
        }
    }

    /// What the deed changes of what is shown.
    ///
    /// - Returns: why it changes nothing; nil: it did.
    mutating func arrange() -> String? {
        switch (deed, writing) {
        case (.more, _): spare = min(spare + 4, Self.mostSpare)
        case (.json, .form(let form)): writing = .json(Self.pretty(form.spec))
        case (.form, .json(let text)):
            do throws(SpecFault) {
                guard let form = Self.form(try SpecText(text)) else { return Self.noForm }
                writing = .form(form)
            } catch {
                return error.words
            }
        default: break
        }
        return nil
    }

    /// The samples as JSON: one object.
    var properties: String { SpecText.object(samples.map { ($0.name, SpecText.string($0.text)) }) }

    static let noForm =
        "This spec has no form: it is not an object, a member stands in it twice, or it has more than "
        + "\(HumanFormat.grouped(mostRows)) texts. It can be edited as JSON."

    private static func form(_ spec: SpecText) -> CampaignForm? {
        CampaignForm(spec: spec).flatMap { $0.rowCount > mostRows ? nil : $0 }
    }

    private static func writing(of spec: String) -> Writing {
        // A text that is not JSON, or nests too deep, is shown as it is.
        guard let json = try? SpecText(spec) else { return .json(spec) }
        return form(json).map(Writing.form) ?? .json(json.pretty(json.root))
    }

    private static func pretty(_ spec: String) -> String {
        // A form writes JSON; what it keeps may nest deep.
        guard let json = try? SpecText(spec) else { return spec }
        return json.pretty(json.root)
    }
}
