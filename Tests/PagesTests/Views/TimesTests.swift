import Testing

@testable import Pages

@Suite struct TimesTests {
    private let library = TemplateLibrary([])

    @Test func aMomentNamesItsZone() {
        let moment = MomentView(1_767_323_045.9)
        #expect(moment.momentClock == "03:04")
        #expect(
            library.render(moment, "moment")
                == #"<time datetime="2026-01-02T03:04:05Z">2026-01-02 03:04:05 UTC</time>"#)
    }

    @Test func anAgeIsInTheWordsOfDurations() {
        #expect(
            library.render(AgeView(since: 1_767_323_045, at: 1_767_323_345), "age")
                == #"<time data-age datetime="2026-01-02T03:04:05Z">5 min</time>"#)
    }

    @Test func whatIsToComeCountsDown() {
        let until = AgeView(until: 1_767_323_045, at: 1_767_315_545)
        #expect(
            library.render(until, "age")
                == #"<time data-age="until" datetime="2026-01-02T03:04:05Z">2 h 5 min</time>"#)
        #expect(AgeView(until: 10, at: 20).ageText == "0 s" && AgeView(since: 20, at: 10).ageText == "0 s")
    }
}
