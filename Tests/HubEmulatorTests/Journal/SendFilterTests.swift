import Testing

@testable import HubEmulator

@Suite struct SendFilterTests {
    private let taken = JournalEntry(
        number: 1, hub: "news", at: 0, elapsed: 0, status: 201, taken: true, tags: "World && !Sports",
        body: #"{"text":"Moon 42"}"#, reached: 1)
    private let refused = JournalEntry(
        number: 2, hub: "travel", kind: .direct, at: 0, elapsed: 0, status: 429, taken: false, reached: 0)
    private let closed = JournalEntry(number: 3, hub: "travel", at: 0, elapsed: 0, taken: false, reached: 0)

    private func numbers(_ fate: SendFilter.Fate?, _ text: String?) -> [Int] {
        [taken, refused, closed].filter(SendFilter(fate: fate, text: text).matches).map(\.number)
    }

    @Test func theFateSelects() {
        #expect(numbers(nil, nil) == [1, 2, 3])
        #expect(numbers(.taken, nil) == [1])
        #expect(numbers(.refused, nil) == [2, 3])
    }

    @Test(arguments: [
        ("4", [1, 2]), ("429", [2]), ("4xx", [2]), ("2xx", [1]), ("42", [1, 2]), ("sports", [1]), ("MOON", [1]),
        ("travel", [2, 3]), ("direct", [2]), ("nothing", []), ("9999", []),
    ])
    func aTextIsAStatusOrAPart(text: String, found: [Int]) { #expect(numbers(nil, text) == found) }

    @Test func bothTogetherSelectLess() { #expect(numbers(.refused, "2") == []) }
}
