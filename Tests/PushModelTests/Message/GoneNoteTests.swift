import PushModel
import Testing

@Suite struct GoneNoteTests {
    @Test(arguments: [
        (1_795_867_200.5, "gone since 2026-11-28T12:00:00Z: Unregistered"),
        (0, "gone since 1970-01-01T00:00:00Z: Unregistered"),
        (-1, "Unregistered"), (.infinity, "Unregistered"), (.nan, "Unregistered"), (1e15, "Unregistered"),
        (253_402_300_799, "gone since 9999-12-31T23:59:59Z: Unregistered"),
    ])
    func aNoteSaysSinceWhen(since: Double, note: String) {
        #expect(GoneNote.text(since: since, because: "Unregistered") == note)
    }

    @Test func withoutATimeItIsWhatTheServiceSaid() {
        #expect(GoneNote.text(since: nil, because: "Unregistered") == "Unregistered")
    }
}
