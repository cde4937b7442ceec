import Testing

@testable import Console

@Suite struct KeysetPageTests {
    private func turns(_ count: Int, before: Int64? = nil) -> TurnsView {
        let page = KeysetPage((0..<count).map { Int64(1_000 - $0) }) { $0 }
        return TurnsView(page, "entries", before: before) { "/audit?before=\($0.map { "\($0)" } ?? "")" }
    }

    @Test func aFullPageLeadsToTheNextOne() {
        let view = turns(51)
        #expect(view.turnWords == "The newest 50 entries.")
        #expect(view.turnOlder == "/audit?before=951" && view.turnNewest == nil)
    }

    @Test func aPageThatIsJustFullIsTheLast() {
        let view = turns(50)
        #expect(view.turnWords == "All 50 entries." && view.turnOlder == nil)
    }

    @Test func behindTheLastPageItSaysSoAndLeadsBack() {
        let view = turns(0, before: 3)
        #expect(view.turnWords == "No older entries: nothing is below id 3.")
        #expect(view.turnNewest == "/audit?before=" && view.turnOlder == nil)
    }

    @Test func nothingAtAllIsSaid() { #expect(turns(0).turnWords == "No entries with these filters.") }

    @Test func aLaterPageSaysWhereItBegins() {
        #expect(turns(51, before: 2_000).turnWords == "50 entries below id 2000.")
        #expect(turns(7, before: 2_000).turnWords == "7 entries below id 2000, the last ones.")
    }
}
