import Pages
import Store

/// Whether the schema and the program match, in words. Pure.
struct SchemaWords: Sendable, Equatable {
    let look: StateLook
    /// One word.
    let state: String
    let words: String

    init(_ standing: Schema.Standing) {
        switch standing {
        case .current(let release):
            (look, state, words) = (.good, "matches", "release \(release), which this program needs")
        default:
            let refusal = standing.refusal.map { "\($0)" }
            look = refusal == nil ? .good : .bad
            state = refusal == nil ? "newer" : "does not match"
            words = refusal ?? standing.notice ?? ""
        }
    }
}
