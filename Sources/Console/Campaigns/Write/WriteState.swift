import Store

/// All that the page of a form of a campaign shows.
struct WriteState: Sendable {
    /// nil: it is new.
    let campaign: String?
    var post: WritePost
    var choices: WriteChoices
    /// What is kept now; nil: nothing.
    var written: CampaignStore.Written?
    /// nil: nobody looked.
    var look: SpecLook?
    /// What the console itself could not read.
    var problems: [SpecProblem] = []
    /// Somebody else saved it meanwhile; nil: nobody did.
    var conflict: WriteConflict?
    /// Something was to be saved, and was not.
    var isRefused = false
    /// Something was to be saved, and the connection was lost while it was.
    var isUncertain = false

    /// What is typed, as a form; while JSON is shown, one without fields: all problems stand above it then.
    var form: CampaignForm {
        if case .form(let form) = post.writing { form } else { CampaignForm() }
    }

    /// Each problem with its place.
    var placed: [(place: SpecProblem.Place, problem: SpecProblem)] {
        let isForm = if case .form = post.writing { true } else { false }
        let all = problems + (look?.problems ?? [])
        return all.map { ($0.isOfName ? .name : isForm ? $0.place(in: form) : .top, $0) }
    }

    var troubles: [Trouble] { choices.troubles + (look?.troubles ?? []) }
}
