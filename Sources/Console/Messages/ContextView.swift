import PushModel
import Store

/// What a message goes with: its translations, the others of its post, and the trace of its caller.
struct ContextView {
    struct Other {
        let otherID: String
        let otherAddress: String
    }

    let hasTranslations: Bool
    let translationWords: String
    let translations: [Other]
    let hasMates: Bool
    let mateWords: String
    let mates: [Other]
    let trace: String?

    /// - Returns: nil: the message has no translations, mates or trace.
    init?(_ context: MessageContext, for visit: Visit) {
        guard context != MessageContext() else { return nil }
        func others(_ ids: [Int64]) -> [Other] {
            ids.map { Other(otherID: "\($0)", otherAddress: visit.address("messages", "\($0)")) }
        }
        hasTranslations = !context.translations.isEmpty
        translationWords = Self.words(context.translations.count, "translation") + " of its content"
        translations = others(context.translations)
        hasMates = !context.mates.isEmpty
        mateWords = Self.words(context.mates.count, "message") + " of its newest post"
        mates = others(context.mates)
        trace = context.traceparent
    }

    /// `1 other message`; `100 or more other messages`.
    private static func words(_ count: Int, _ thing: String) -> String {
        let number = count < MessageContext.limit ? "\(count)" : "\(count) or more"
        return "\(number) other \(thing)\(count == 1 ? "" : "s")"
    }
}
