import Testing

@testable import Pages

@Suite struct ChartViewTests {
    /// In the minute that begins at 1,800,000,000.
    private let now = 1_800_000_030.0

    private func chart(_ minutes: [ChartView.Minute], of name: String? = "shop", step: Int = 10) -> ChartView {
        ChartView(name, minutes, at: now, step: step)
    }

    @Test func theLastMinuteIsAtTheRightEdge() {
        let chart = chart([.init(at: now, sent: 7, failed: 0)])
        #expect(chart.chartSent == "M0 60H295V3H300V60z")
        #expect(chart.chartEnd.momentStamp == "2027-01-15T08:01:00Z")
        #expect(chart.chartBegin.momentStamp == "2027-01-15T07:01:00Z")
    }

    @Test func whatIsOfAnotherHourIsLeftOut() {
        let chart = chart([
            .init(at: now - 3_600, sent: 7, failed: 1), .init(at: now + 60, sent: 7, failed: 1),
            .init(at: .nan, sent: 7, failed: 1), .init(at: now - 3_540, sent: 2, failed: 0),
        ])
        #expect(chart.chartWords == "2 sent and 0 failed in 60 minutes. At most 2 in a minute.")
        #expect(chart.chartSent == "M0 60H0V3H5V60H300V60z")
    }

    @Test func countsOfOneMinuteAreAddedUp() {
        let chart = chart([.init(at: now, sent: 1_000, failed: 2), .init(at: now - 29, sent: 500, failed: 3)])
        #expect(chart.chartSentCount == "1,500" && chart.chartFailedCount == "5" && chart.chartPeak == "1,500")
    }

    @Test func oneFailureAmongManyIsSeen() {
        #expect(chart([.init(at: now, sent: 1_000_000, failed: 1)]).chartFailed == "M295 60v-3h4v3z")
        #expect(chart([.init(at: now, sent: 1_000_000, failed: 0)]).chartFailed.isEmpty)
    }

    @Test func failuresHaveTheScaleOfWhatWasSent() {
        let chart = chart([.init(at: now - 60, sent: 100, failed: 50), .init(at: now, sent: 0, failed: 100)])
        #expect(chart.chartSent == "M0 60H290V3H295V60H300V60z")
        #expect(chart.chartFailed == "M290 60v-29h4v29zM295 60v-57h4v57z")
    }

    @Test func rowsAddUpToAllOfIt() {
        let minutes = (0..<60).map { ChartView.Minute(at: now - 60 * Double($0), sent: 10, failed: 1) }
        #expect(chart(minutes).chartRows.map(\.rowSent) == Array(repeating: "100", count: 6))
        #expect(chart(minutes, step: 1).chartRows.count == 60)
        #expect(chart(minutes, step: 7).chartRows.map(\.rowFailed) == Array(repeating: "7", count: 8) + ["4"])
        #expect(chart(minutes, step: 0).chartRows.count == 60 && chart(minutes, step: 99).chartRows.count == 1)
    }

    @Test(arguments: [(Int.max, Int.max), (-5, .min)])
    func absurdCountsDoNotTrap(sent: Int, failed: Int) {
        let minutes = (0..<120).map { ChartView.Minute(at: now - 60 * Double($0 % 60), sent: sent, failed: failed) }
        let chart = chart(minutes)
        #expect(sent < 0 ? chart.chartPeak == "0" : chart.chartPeak == "1,000,000,000,000,000")
        #expect(ChartView(nil, [], at: .nan).chartSentCount == "0")
        #expect(ChartView(nil, [], at: .infinity).chartSentCount == "0")
    }

    @Test func aHostileNameIsText() {
        let html = TemplateLibrary([]).render(chart([], of: #"</title><script>alert("1")"#), "chart")
        let title = "&lt;/title&gt;&lt;script&gt;alert(&quot;1&quot;): sent and failed by minute"
        #expect(html.contains("<title>\(title)</title>"))
        #expect(!html.contains("<script"))
    }

    /// Twenty of them have to fit on a page of 60 kB.
    @Test func aBusyChartIsSmall() {
        let minutes = (0..<60).map {
            ChartView.Minute(at: now - 60 * Double($0), sent: 900_000 + $0 * 997, failed: $0 % 3)
        }
        let html = TemplateLibrary([]).render(chart(minutes), "chart")
        #expect(html.utf8.count < 3_200 && !html.contains("style="))
    }
}
