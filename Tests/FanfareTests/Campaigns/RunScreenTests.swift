import Testing

@testable import Store
@testable import fanfare

/// How a run looks on one screen.
@Suite struct RunScreenTests {
    private static var spring: RunProgress {
        RunProgress(
            campaign: "spring", key: "2027-03-01", state: .running, why: nil, expanded: 412_827, total: 1_000_000,
            isExpanded: false, accepted: 409_871, rejected: 1_902, expired: 0, cancelled: 0, inDoubt: 0, underWay: 0,
            pending: 527, suppressed: 3_310, reasons: #"{ "target_gone" : 1850, "not_sendable" : 52 }"#,
            perSecond: 498.2, rate: 500, eta: 1_180, revision: 2, took: 800, startedAt: "2027-03-01T09:00:00Z",
            startedBy: "campaigns", unserved: [])
    }

    @Test func aRunningOneShowsHowFarItIsAndWhenItEnds() {
        #expect(
            RunScreen.text(of: Self.spring) == """
                spring 2027-03-01   running   415,610 of ~1,000,000   41 %  ████████░░░░░░░░░░░░   498/s   about 19 min
                  accepted 409,871   refused 1,902 (target_gone 1,850, not_sendable 52)   in doubt 0   pending 527   suppressed 3,310   rate 500/s   revision 2
                """)
    }

    @Test func whatACancelDidAddsUp() {
        var run = Self.spring
        (run.state, run.total, run.expanded) = (.cancelling, 200_000, 36_012)
        (run.accepted, run.cancelled, run.neverMade) = (9_896, 26_104, 163_988)
        (run.rejected, run.pending, run.suppressed, run.underWay) = (0, 0, 0, 12)
        #expect(
            RunScreen.text(ofStopped: run)
                == "campaign spring, run 2027-03-01: of ~200,000 recipients 9,896 sent, 26,104 taken back, ~163,988 never "
                + "made, 12 under way")
        (run.isExpanded, run.neverMade, run.total) = (true, 0, 36_012)
        #expect(RunScreen.text(ofStopped: run).hasSuffix("taken back, 0 never made, 12 under way"))
        (run.total, run.neverMade) = (nil, nil)
        #expect(
            RunScreen.text(ofStopped: run)
                == "campaign spring, run 2027-03-01: 9,896 sent, 26,104 taken back, 12 under way")
    }

    /// The key is its owner's, and the reason quotes what a view raised.
    @Test func aRunCannotDrawOnTheTerminal() {
        var run = Self.spring
        (run.key, run.why) = ("k\u{1B}]0;x\u{7}\u{202E}", "P0001 \u{1B}[31mred\r\nnext")
        for text in [RunScreen.text(of: run), RunScreen.text(ofStopped: run)] {
            #expect(!text.unicodeScalars.contains { $0 != "\n" && $0.value < 0x20 || $0.value == 0x202E }, "\(text)")
            #expect(text.split(separator: "\n").count <= 3)
        }
    }

    @Test func whoIsLeftOutAndWhoIsNotIsShown() {
        var run = Self.spring
        (run.capped, run.bypassesSuppression) = (1_200, true)
        let text = RunScreen.text(of: run)
        #expect(text.contains("suppressed 3,310   capped 1,200   rate"))
        #expect(text.contains("running   416,810 of"))
        #expect(text.hasSuffix("\n  reaches suppressed recipients, too"))
    }

    @Test func oneThatIsOverShowsHowLongItTookAndNoEstimate() {
        var run = Self.spring
        (run.state, run.isExpanded, run.total) = (.done, true, 416_137)
        (run.pending, run.eta, run.perSecond) = (0, nil, 0)
        let line = RunScreen.line(of: run)
        #expect(line.contains("416,137 of 416,137   100 %  ████████████████████"))
        #expect(line.hasSuffix("took 13 min"))
    }

    @Test func anEmptyAudienceIsWholeAndAnUnknownOneHasNoShare() {
        var run = Self.spring
        (run.expanded, run.pending, run.suppressed) = (0, 0, 0)
        run.total = 0
        #expect(RunScreen.line(of: run).contains("0 of ~0   100 %"))
        run.total = nil
        #expect(!RunScreen.line(of: run).contains("%"))
    }

    @Test func anEstimateThatWasTooLowIsNotMoreThanAll() {
        var run = Self.spring
        run.total = 100_000
        #expect(RunScreen.line(of: run).contains("100 %  ████████████████████"))
    }

    @Test func whatItWaitsForIsSaidAndWhomItLeftOut() {
        var run = Self.spring
        (run.waitsUntil, run.waitsFor) = ("2027-03-01T08:00:00.000Z", "window")
        (run.passed, run.outsideWindow, run.unknownZone) = (10, 20, 30)
        let text = RunScreen.text(of: run)
        #expect(text.hasSuffix("\n  waits for its window until 2027-03-01T08:00:00.000Z"))
        #expect(text.contains("passed 10   outside window 20   unknown zone 30"))
        #expect(text.contains("415,640 of"))
        run.waitsFor = "zone"
        #expect(RunScreen.text(of: run).hasSuffix("\n  waits for its next time zone until 2027-03-01T08:00:00.000Z"))
    }

    @Test func whatHoldsItUpIsSaid() {
        var run = Self.spring
        run.why = "paused by ada: wrong link"
        run.unserved = ["news", "sport"]
        let lines = RunScreen.text(of: run).split(separator: "\n")
        #expect(lines.suffix(2) == ["  paused by ada: wrong link", "  no worker serves news, sport"])
        run.state = .cancelled
        #expect(!RunScreen.text(of: run).contains("no worker"))
    }
}
