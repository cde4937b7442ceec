import Postgres
import PushModel

/// What is wrong with a spec, and where. Pure.
struct SpecProblem: Sendable, Equatable {
    /// The member, as PostgreSQL names it: `canary.share`, `content."en"`. Empty: the whole.
    var path = ""
    var words: String
    var hint: String?
    /// It is about the campaign's name, which is no member.
    var isOfName = false

    /// A place of the form where problems stand.
    enum Place: Sendable, Hashable {
        case name
        case field(CampaignField)
        /// By its index in the form.
        case language(Int)
        /// A member that no single field is for: `hubs`, `audience`, `headers`.
        case member(String)
        /// Above the form.
        case top
    }

    init(path: String = "", words: String, hint: String? = nil, isOfName: Bool = false) {
        (self.path, self.words, self.hint, self.isOfName) = (path, words, hint, isOfName)
    }

    /// What the database refused.
    ///
    /// - Returns: nil: it refused nothing, but could not be asked.
    init?(_ error: DatabaseError) {
        guard error.is(.checkViolation) || error.is(.objectNotInPrerequisiteState) else { return nil }
        self.init(
            path: error.column ?? "", words: error.message, hint: error.hint, isOfName: error.table == "campaign")
    }

    /// Where it stands in a form.
    func place(in form: CampaignForm) -> Place {
        if isOfName { return .name }
        let member = String(path.prefix { $0 != "." && $0 != "[" })
        if form.kept(member) == nil {
            if let field = CampaignField(rawValue: path) { return .field(field) }
            for (index, language) in form.languages.enumerated() {
                let own = "content." + SpecText.string(language.locale)
                if path == own || path.hasPrefix(own + ".") || path.hasPrefix(own + "[") { return .language(index) }
            }
        }
        return CampaignForm.members.contains(member) ? .member(member) : .top
    }
}
