/// How many posts share one intent. Pure.
///
/// An intent costs a statement, a commit and a round trip, so some 16 posts should share it. With more, the hub waits
/// while they are written. Measured with windows of 64 and 512 (docs/performance.md).
struct IntentBatch: Equatable {
    /// Intents of one lane that are written at a time.
    static let atOnce = 2

    /// Fewer free places are not worth an intent, while more will come.
    let least: Int
    let most: Int

    /// - Parameter window: posts the hub may have at once.
    init(of window: Int) {
        least = max(window / 16, min(window / 4, 16))
        most = max(window / 8, min(window, 24))
    }
}
