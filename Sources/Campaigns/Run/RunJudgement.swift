/// Whether a share is larger than allowed, or only looks so by luck.
///
/// By the lower end of the interval of Wilson for a share (E. B. Wilson, "Probable inference, the law of succession, and
/// statistical inference", JASA 22, 1927): of few results it is far below the share that was seen.
enum RunJudgement {
    /// For what is asked once, such as a canary: in three of four cases the true share is above the lower end. A
    /// needless stop costs a person's look, a bad canary that passes costs more.
    static let once = 0.674
    /// For what is asked each second for as long as a run lasts: in 999 of 1,000.
    static let again = 3.09

    /// - Parameters:
    ///   - part: how many of `results` failed.
    ///   - limit: the share that is allowed, 0 to 1.
    ///   - sureness: `once` or `again`, in standard deviations.
    /// - Returns: whether the true share is above `limit`, with that sureness. With a limit of 0 one failure is enough.
    static func exceeds(_ part: Int64, of results: Int64, limit: Double, sureness: Double) -> Bool {
        guard part > 0, results > 0 else { return false }
        let (n, z) = (Double(results), sureness)
        let share = Double(part) / n
        let middle = share + z * z / (2 * n)
        let spread = z * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot()
        return (middle - spread) / (1 + z * z / n) > limit
    }
}
