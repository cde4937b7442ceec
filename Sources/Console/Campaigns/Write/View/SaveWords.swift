import PushModel
import Store

/// What saving leads to: the text of the button, and a sentence beside it. Pure.
struct SaveWords: Equatable {
    var button: String
    var sentence: String?

    /// - Parameters:
    ///   - spec: that would be saved; nil: what is typed is none.
    ///   - conflict: the revision that saving replaces, because somebody else saved it.
    init(_ spec: SpecText?, over written: CampaignStore.Written?, replacing conflict: Int32? = nil) {
        let members = spec?.root.members ?? []
        func member(_ name: String) -> JSONNode? { members.first { $0.name == name }?.node }
        let approvals = [member("approval")?.text, written?.asks].compactMap(\.self)
        let isAsked = approvals.contains { $0 == "one" || $0 == "two" }
        let hasSchedule = member("schedule") != nil
        let verb = conflict.map { "Save over revision \($0)" } ?? "Save"
        switch (hasSchedule, isAsked) {
        case (false, false): (button, sentence) = (verb, nil)
        case (false, true): (button, sentence) = (verb + " for approval", "Nothing sends it before it is approved.")
        case (true, true):
            button = verb + " for approval"
            sentence = "It has a schedule, and waits for approval: until then, what was approved before is sent."
        case (true, false) where written?.isSchedulePaused == true:
            (button, sentence) = (verb, "It has a schedule, which is paused.")
        case (true, false):
            button = verb + ": the next start sends it"
            sentence =
                written?.nextAt.map { "Its schedule starts it next at \(HumanFormat.toSeconds($0))." }
                ?? "Its schedule starts it by itself."
        }
    }
}
