import Pages
import Testing

@testable import Console

@Suite struct PageMarkTests {
    private let mark = PageMark()

    @Test func agesDoNotChangeAPage() {
        let before = "<p>beat <time data-age datetime=\"2026-01-01T00:00:00Z\">5 s</time> ago</p><b>2</b>"
        let later = "<p>beat <time data-age datetime=\"2026-01-01T00:00:00Z\">9 s</time> ago</p><b>2</b>"
        #expect(mark.of(before) == mark.of(later))
        #expect(mark.of(before) != mark.of(before.replacing("<b>2</b>", with: "<b>3</b>")))
    }

    @Test func allAgesOfAPageAreLeftOutAndNothingBetweenThem() {
        func page(_ ages: [String], between: String) -> String {
            "<i>" + ages.map { "<time data-age=\"until\">\($0)</time>" }.joined(separator: between) + "<b>"
        }
        let of = mark.of(page(["1 s", "", "3 min"], between: " < > "))
        #expect(of == mark.of(page(["20 s", "5 d", "< 7"], between: " < > ")))
        #expect(of != mark.of(page(["1 s", "", "3 min"], between: " <> ")))
        #expect(of != mark.of(page(["1 s", ""], between: " < > ")))
    }

    /// The element that the template makes is the one that does not count.
    @Test func theTemplateOfAgesMakesSuchAnElement() {
        func age(_ view: AgeView) -> String { mark.of("<p>" + TemplateLibrary([]).render(view, "age") + "</p>") }
        #expect(age(AgeView(since: 1_000, at: 1_060)) == age(AgeView(since: 1_000, at: 9_000)))
        #expect(age(AgeView(until: 9_000, at: 1_060)) == age(AgeView(until: 9_000, at: 2_000)))
        #expect(age(AgeView(since: 1_000, at: 1_060)) != age(AgeView(since: 1_001, at: 1_060)))
        #expect(age(AgeView(since: 1_000, at: 1_000)) != age(AgeView(until: 1_000, at: 1_000)))
    }

    @Test func theTimeOfAnAgeCounts() {
        #expect(
            mark.of("<time data-age datetime=\"a\">5 s</time>") != mark.of("<time data-age datetime=\"b\">5 s</time>"))
    }

    @Test func anAgeWithoutAnEndHidesNothing() {
        #expect(mark.of("<time data-age one") != mark.of("<time data-age two"))
    }

    @Test func anotherStartHasAnotherMark() { #expect(mark.of("") != PageMark().of("")) }
}
