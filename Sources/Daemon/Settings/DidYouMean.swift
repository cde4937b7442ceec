import PushModel

/// "Did you mean …".
enum DidYouMean {
    /// The word most like `text`, at most two typing errors away; nil when none is that near.
    static func nearest(to text: String, in words: some Sequence<String>) -> String? {
        words.map { ($0, EditDistance.between(Array(text.lowercased().utf8), Array($0.lowercased().utf8))) }
            .filter { $0.1 <= 2 && $0.1 < max(text.count, 1) }
            .min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
    }
}
