import Testing

@testable import PushModel

/// JSON values as phones show them.
@Suite struct ShownValueTests {
    @Test(arguments: [
        ("3", "3"), ("-0", "-0"), ("1.0", "1"), ("1e2", "100"), ("1.5", "1.5"), ("true", "1"), ("false", "0"),
        (#""01""#, "01"), ("12345678901234567890", "12345678901234567890"), ("null", nil), ("[1]", nil), ("{}", nil),
    ])
    func aNumberIsShownAsANumber(json: String, shown: String?) {
        #expect(NotificationPreview(#"{"aps":{"alert":"x","badge":\#(json)}}"#).badge == shown)
    }

    /// As PostgreSQL reads them.
    @Test func ofANameThatStandsTwiceTheLastCounts() {
        #expect(NotificationPreview(#"{"aps":{"alert":"a","alert":"b"}}"#).body == "b")
        #expect(AlertText(payload: #"{"aps":{"alert":"a"},"aps":{"alert":"b"}}"#)?.body == "b")
    }

    @Test(arguments: ["[", "{", #"{"a":"#])
    func nestingEndsNothing(bracket: String) {
        let payload = String(repeating: bracket, count: 1_000_000)
        #expect(NotificationPreview(payload).body == String(payload.prefix(500)))
        #expect(AlertText(payload: payload) == nil)
    }
}
