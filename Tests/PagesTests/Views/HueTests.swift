import Testing

@testable import Pages

@Suite struct HueTests {
    @Test func aNameHasOneOfTheHuesOfTheStyle() {
        for number in 0..<200 {
            let hue = Hue.number(of: "name \(number)")
            #expect((0..<Hue.count).contains(hue) && SharedStyle.hues.contains(".hue-\(hue) "))
        }
        #expect(Set((0..<200).map { Hue.number(of: "name \($0)") }).count == Hue.count)
    }

    @Test func aNameKeepsItsHue() {
        #expect(Hue.number(of: "production") == Hue.number(of: "production"))
        #expect(Hue.number(of: "production") != Hue.number(of: "staging"))
        #expect(Hue.number(of: "") == 0)
    }
}
