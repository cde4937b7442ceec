import PushModel

/// What a campaign says and to whom, as a form has it: everything is text. Pure.
///
/// A form and a spec become each other without loss. A member of the spec that no field knows, or that has a shape that its fields
/// cannot show, is kept as its JSON.
struct CampaignForm: Sendable, Equatable {
    /// A property and its text, or a header and its value.
    struct Row: Sendable, Equatable {
        var name = ""
        var text = ""

        var isEmpty: Bool { name.isEmpty && text.isEmpty }
    }

    /// What is said in one language.
    struct Language: Sendable, Equatable {
        /// Empty: for all, or the only one.
        var locale = ""
        /// Of a template.
        var rows: [Row] = []
        /// Of a native format: JSON, or XML.
        var payload = ""

        /// Whether it is not there: an empty place of the form.
        func isEmpty(isNative: Bool) -> Bool {
            locale.isEmpty && (isNative ? payload.isEmpty : rows.allSatisfy(\.isEmpty))
        }
    }

    /// A member of the spec that is shown as JSON only.
    struct Kept: Sendable, Equatable {
        var name: String
        var json: String
    }

    var hubs: [String] = []
    /// Without those that nothing stands in.
    var fields: [CampaignField: String] = [:]
    var languages: [Language] = []
    var headers: [Row] = []
    var kept: [Kept] = []

    /// Whether the texts are payloads, and not properties of a template.
    var isNative: Bool { fields[.format].map { $0 != "template" } ?? false }

    /// Rows and languages that it shows.
    var rowCount: Int { languages.reduce(headers.count) { $0 + 1 + $1.rows.count } }

    func kept(_ member: String) -> Kept? { kept.first { $0.name == member } }

    /// The members of a spec in the order in which a form writes them. `schedule` has no field: it is set on the campaign's page.
    static let members = [
        "hubs", "audience", "content", "format", "headers", "fallback", "priority", "rate", "spread", "ramp",
        "expires", "maxDuration", "onDoubt", "pack", "stopWhen", "schedule", "canary", "approval", "cap", "local",
        "window",
    ]

    /// The problems of payloads that look like JSON and are none, by the index of their language. The spec then has them as texts.
    var payloadProblems: [Int: String] {
        guard isNative, kept("content") == nil else { return [:] }
        var problems: [Int: String] = [:]
        for (index, language) in languages.enumerated() {
            guard let first = language.payload.first(where: { !$0.isWhitespace }), first != "<" else { continue }
            do throws(SpecFault) {
                _ = try SpecText(language.payload)
            } catch {
                problems[index] = error.words
            }
        }
        return problems
    }
}
