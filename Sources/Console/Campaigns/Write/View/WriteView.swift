import Pages
import PushModel

/// The form of a campaign, beside what it would be: the template `write`.
struct WriteView {
    struct ProblemView {
        let problemWords: String
        let problemHint: String?
        let problemLink: String?
    }

    struct RemarkView {
        let remarkWords: String
        let remarkHint: String
    }

    struct SizeView {
        let sizeLocale: String
        let sizeProperty: String
        let sizeCharacters: String
        let sizeBytes: String
    }

    struct SampleView {
        let sampleName: String
        let sampleText: String
    }

    let formAction: String
    let formRevision: String
    let revisionOf: String?
    let spareRows: Int
    let nameField: WriteFieldView?
    let conflictView: WriteConflictView?
    let canWrite: Bool
    let isRefused: Bool
    let isUncertain: Bool
    let hasProblems: Bool
    let problemViews: [ProblemView]
    let isLooked: Bool
    let remarkViews: [RemarkView]
    let isFormShown: Bool
    let groups: [WriteGroupView]
    let keptText: String
    let jsonField: WriteFieldView?
    let saveButton: String
    let saveSentence: SentenceView?
    let samples: [SampleView]
    let hasSamples: Bool
    let hubPhones: [WritePhonesView]
    /// nil: all are shown.
    let omittedHubs: String?
    let sizeViews: [SizeView]
    let hasSizes: Bool
    let omittedSizes: String?

    /// Rows of a table of more are read by nobody.
    private static let mostSizes = 500
    private static let mostSamples = 100

    init(_ state: WriteState, for visit: Visit) {
        let post = state.post
        formAction = state.campaign.map { visit.address("campaigns", $0, "edit") } ?? visit.address("campaigns", "new")
        formRevision = post.base.map { "\($0)" } ?? ""
        revisionOf = state.campaign == nil && post.base != nil ? post.name : nil
        spareRows = post.spare
        canWrite = visit.canAct(.campaigns)
        isRefused = state.isRefused
        isUncertain = state.isUncertain
        let problems = Self.byPlace(state.placed)
        nameField =
            state.campaign == nil
            ? WriteFieldView(
                name: "name", label: "Name", text: post.name, hint: "1 to 63 of a-z 0-9 _ -, not beginning with _ or -",
                problem: problems[.name]) : nil
        conflictView = state.conflict.map { WriteConflictView($0, state.campaign ?? post.name, for: visit) }
        problemViews = state.placed.map { Self.view($0.problem, at: $0.place) }
        hasProblems = !problemViews.isEmpty
        isLooked = state.look?.troubles.isEmpty == true && !hasProblems && state.conflict == nil
        remarkViews = (state.look?.remarks ?? []).map { RemarkView(remarkWords: $0.words, remarkHint: $0.hint) }
        switch post.writing {
        case .form(let form):
            isFormShown = true
            groups = WriteGroupView.all(state, problems: problems, at: visit.now)
            keptText = form.keptText
            jsonField = nil
        case .json(let text):
            isFormShown = false
            groups = []
            keptText = ""
            jsonField = WriteFieldView(
                name: "spec", label: "Spec", text: text, hint: "JSON, as docs/campaigns.md has it",
                problem: problems[.top], isLines: true)
        }
        // What is no spec has no sizes; the problem says why.
        let spec = (try? post.spec()).flatMap { try? SpecText($0) }
        let save = SaveWords(spec, over: state.written, replacing: state.conflict?.revision)
        (saveButton, saveSentence) = (save.button, SentenceView(orNil: save.sentence))
        samples = Self.samples(state)
        hasSamples = !samples.isEmpty
        hubPhones = (state.look?.hubs ?? []).map { WritePhonesView($0) }
        omittedHubs = state.look.flatMap { $0.omittedHubs > 0 ? HumanFormat.count($0.omittedHubs, "hub") : nil }
        let sizes = spec.map { TextSize.all(of: $0) } ?? []
        sizeViews = sizes.prefix(Self.mostSizes).map(Self.view)
        hasSizes = !sizes.isEmpty
        omittedSizes = sizes.count > Self.mostSizes ? HumanFormat.grouped(sizes.count - Self.mostSizes) : nil
    }

    private static func byPlace(
        _ placed: [(place: SpecProblem.Place, problem: SpecProblem)]
    ) -> [SpecProblem.Place: String] {
        Dictionary(
            placed.map { ($0.place, [$0.problem.words, $0.problem.hint].compactMap(\.self).joined(separator: ". ")) }
        ) {
            $0 + " " + $1
        }
    }

    private static func view(_ problem: SpecProblem, at place: SpecProblem.Place) -> ProblemView {
        let link: String? =
            switch place {
            case .name: "#f-name"
            case .field(let field): "#f-\(field.name)"
            case .language(let index): "#f-language-\(index)"
            case .member(let member): "#p-member-\(member)"
            case .top: nil
            }
        return ProblemView(problemWords: problem.words, problemHint: problem.hint, problemLink: link)
    }

    private static func view(_ size: TextSize) -> SizeView {
        SizeView(
            sizeLocale: size.locale.isEmpty ? "all" : size.locale, sizeProperty: size.property ?? "payload",
            sizeCharacters: HumanFormat.grouped(size.characters), sizeBytes: HumanFormat.grouped(size.bytes))
    }

    /// A field for each placeholder, and for what was typed for one that is not there now.
    private static func samples(_ state: WriteState) -> [SampleView] {
        var seen: Set<String> = []
        let typed = state.post.samples
        let names = (state.look?.hubs.flatMap(\.placeholders) ?? []) + typed.map(\.name)
        return names.filter { seen.insert($0.lowercased()).inserted }.prefix(mostSamples).map { name in
            SampleView(
                sampleName: name, sampleText: typed.first { $0.name.lowercased() == name.lowercased() }?.text ?? "")
        }
    }
}
