import Testing

@testable import Console

@Suite struct ReloadTests {
    @Test(arguments: [
        ("", nil), ("live=10", 10), ("a=b&live=15&c", 15), ("live=0", 2), ("live=-5", 2), ("live=99999999", 3_600),
        ("live=", nil), ("live", nil), ("live=ten", nil), ("live=99999999999999999999", nil), ("alive=10", nil),
    ])
    func theQueryNamesSeconds(query: String, seconds: Int?) { #expect(Reload(query).seconds == seconds) }

    @Test func theOtherFieldsStayAsTheyAre() {
        let reload = Reload("hub=a%26b&live=5&tag=%2Flive&LIVE=7&live&q=live%3D1")
        #expect(reload.address(seconds: 10) == "?hub=a%26b&tag=%2Flive&q=live%3D1&live=10")
        #expect(reload.address(seconds: nil) == "?hub=a%26b&tag=%2Flive&q=live%3D1")
        #expect(Reload("").address(seconds: nil) == "?")
    }
}
