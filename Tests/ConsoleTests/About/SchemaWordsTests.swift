import Store
import Testing

@testable import Console

@Suite struct SchemaWordsTests {
    @Test(arguments: [
        (Schema.Standing.current(3), "matches", "release 3, which this program needs"),
        (.older(has: 2, needs: 3), "does not match", "run `fanfare migrate up`"),
        (.newer(has: 4, knows: 3, worksFrom: 3), "newer", "newer than this fanfare knows"),
        (.tooNew(has: 4, knows: 3, worksFrom: 4), "does not match", "upgrade fanfare"),
        (.absent, "does not match", "no schema push"), (.unreleased, "does not match", "before the first release"),
    ]) func eachStandingHasItsWords(_ standing: Schema.Standing, _ state: String, _ words: String) {
        let shown = SchemaWords(standing)
        #expect(shown.state == state && shown.words.contains(words))
        #expect((shown.look == .bad) == (standing.refusal != nil))
    }
}
