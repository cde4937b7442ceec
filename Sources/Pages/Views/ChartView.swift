import PushModel

/// What was sent and what failed in the last hour, by minute: a picture with its numbers beside it. The template `chart`.
///
/// The picture has paths and no text, so it can be as wide as its place. Failures have the scale of what was sent, and are never
/// too small to see.
package struct ChartView: Sendable {
    /// What happened in one minute.
    package struct Minute: Sendable, Equatable {
        /// Seconds since 1970, in the minute.
        package var at: Double
        package var sent: Int
        package var failed: Int

        package init(at: Double, sent: Int, failed: Int) {
            self.at = at
            self.sent = sent
            self.failed = failed
        }
    }

    package struct Row: Sendable {
        /// When its first minute began.
        package let rowTime: MomentView
        package let rowSent: String
        package let rowFailed: String
    }

    package static let minutes = 60
    /// Units of the picture: each minute is 5 wide.
    static let width = 5 * minutes, height = 60
    /// More than any installation counts; sums of an hour stay within `Int`.
    private static let most = 1_000_000_000_000_000

    package let chartTitle: String
    /// For whom the picture is read: `1,234 sent and 5 failed in 60 minutes. At most 120 in a minute.`
    package let chartWords: String
    package let chartSent: String
    package let chartFailed: String
    package let chartBegin: MomentView
    package let chartEnd: MomentView
    package let chartSentCount: String
    package let chartFailedCount: String
    package let chartHasFailed: Bool
    package let chartPeak: String
    package let chartRows: [Row]

    /// - Parameters:
    ///   - name: whose numbers: `shop`. nil: of all.
    ///   - counts: in any order; those of one minute are added up, those of other hours left out.
    ///   - now: seconds since 1970; the last minute is the one that it is in.
    ///   - step: minutes of one row of the table. Default 10, because a page may have many charts.
    package init(_ name: String?, _ counts: [Minute], at now: Double, step: Int = 10) {
        let end = ((now.isFinite ? now : 0) / 60).rounded(.down) * 60 + 60
        let begin = end - 60 * Double(Self.minutes)
        var sent = [Int](repeating: 0, count: Self.minutes)
        var failed = sent
        for count in counts where count.at >= begin && count.at < end {
            let minute = min(Int((count.at - begin) / 60), Self.minutes - 1)
            sent[minute] = Self.sum(sent[minute], count.sent)
            failed[minute] = Self.sum(failed[minute], count.failed)
        }
        let peak = max(sent.max() ?? 0, failed.max() ?? 0)
        chartTitle = (name.map { "\($0): " } ?? "") + "sent and failed by minute"
        chartSent = Self.steps(sent.map { Self.height(of: $0, peak) })
        chartFailed = Self.bars(failed.map { Self.height(of: $0, peak) })
        chartBegin = MomentView(begin)
        chartEnd = MomentView(end)
        let (allSent, allFailed) = (sent.reduce(0, +), failed.reduce(0, +))
        chartSentCount = HumanFormat.grouped(allSent)
        chartFailedCount = HumanFormat.grouped(allFailed)
        chartHasFailed = allFailed > 0
        chartPeak = HumanFormat.grouped(peak)
        chartWords =
            "\(chartSentCount) sent and \(chartFailedCount) failed in \(Self.minutes) minutes. "
            + "At most \(chartPeak) in a minute."
        let step = max(1, min(step, Self.minutes))
        chartRows = stride(from: 0, to: Self.minutes, by: step).map { first in
            let range = first..<min(first + step, Self.minutes)
            return Row(
                rowTime: MomentView(begin + 60 * Double(first)),
                rowSent: HumanFormat.grouped(sent[range].reduce(0, +)),
                rowFailed: HumanFormat.grouped(failed[range].reduce(0, +)))
        }
    }

    private static func sum(_ old: Int, _ new: Int) -> Int { min(most, old + max(0, min(most, new))) }

    /// 0 only for none.
    private static func height(of number: Int, _ peak: Int) -> Int {
        guard number > 0 else { return 0 }
        return max(3, Int((Double(number) / Double(peak) * Double(height - 3)).rounded()))
    }

    /// The outline of a staircase, closed along the ground.
    private static func steps(_ heights: [Int]) -> String {
        var path = "M0 \(height)"
        var last = 0
        for (minute, next) in heights.enumerated() where next != last {
            path += "H\(5 * minute)V\(height - next)"
            last = next
        }
        return path + "H\(width)V\(height)z"
    }

    private static func bars(_ heights: [Int]) -> String {
        heights.enumerated().filter { $0.element > 0 }
            .map { "M\(5 * $0.offset) \(height)v-\($0.element)h4v\($0.element)z" }.joined()
    }
}
