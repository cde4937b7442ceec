import Testing

@testable import Console

@Suite struct ActionNumbersTests {
    private let numbers = ActionNumbers()

    @Test func aNumberConfirmsJustWhatItWasMadeFor() {
        let number = numbers.number(for: "Ann", "pause-hub", [("hub", "shop")])
        #expect(numbers.isValid(number, for: "Ann", "pause-hub", [("hub", "shop")]))
        #expect(!numbers.isValid(number, for: "Bob", "pause-hub", [("hub", "shop")]))
        #expect(!numbers.isValid(number, for: "Ann", "resume-hub", [("hub", "shop")]))
        #expect(!numbers.isValid(number, for: "Ann", "pause-hub", [("hub", "shop2")]))
        #expect(!numbers.isValid(number, for: "Ann", "pause-hub", []))
        #expect(!ActionNumbers().isValid(number, for: "Ann", "pause-hub", [("hub", "shop")]))
    }

    @Test func textsAreNotJoinedIntoOthers() {
        let number = numbers.number(for: "a", "b", [("cd", "e")])
        #expect(!numbers.isValid(number, for: "ab", "", [("cd", "e")]))
        #expect(!numbers.isValid(number, for: "a", "b", [("c", "de")]))
    }

    @Test(arguments: ["", ".", "x", "x.", ".x", "a.b.c"])
    func rubbishConfirmsNothing(number: String) {
        #expect(!numbers.isValid(number, for: "Ann", "pause-hub", []))
    }

    @Test func eachConfirmationIsAnother() {
        #expect(numbers.number(for: "Ann", "x", []) != numbers.number(for: "Ann", "x", []))
    }
}
