import Testing

@testable import HubEmulator

@Suite struct EventWriterTests {
    @Test func aLineBreakInDataStaysInItsEvent() {
        #expect(
            Event("x", "a\nb\r\nc\rd\u{2028}e", id: 3).text
                == "event: x\nid: 3\ndata: a\ndata: b\ndata: c\ndata: d\u{2028}e\n\n")
    }
}
