import Testing

@testable import CommandLineTool

@Suite struct TextTableTests {
    private static func table(why: String) -> TextTable {
        var table = TextTable([.number("ID"), .text("TARGET"), .number("SINCE"), .prose("WHY")])
        table.add(["1234567890", "customer-777-with-a-long-name", "2026-11-23T07:00:00Z", why])
        table.add(["7", "World", "2026-11-23T08:00:00Z", nil])
        return table
    }

    private static let why = "the hub refused the payload because it is larger than 4096 bytes; make it smaller"

    @Test func withoutAWidthARowIsOneLine() {
        #expect(
            Self.table(why: Self.why).text(fitting: nil) == """
                        ID  TARGET                                        SINCE  WHY
                1234567890  customer-777-with-a-long-name  2026-11-23T07:00:00Z  \(Self.why)
                         7  World                          2026-11-23T08:00:00Z
                """)
    }

    @Test func sentencesAreWrappedBesideTheRow() {
        #expect(
            Self.table(why: Self.why).text(fitting: 110) == """
                        ID  TARGET                                        SINCE  WHY
                1234567890  customer-777-with-a-long-name  2026-11-23T07:00:00Z  the hub refused the payload because it is
                                                                                 larger than 4096 bytes; make it smaller
                         7  World                          2026-11-23T08:00:00Z
                """)
    }

    @Test func textsAreShortenedBeforeSentencesMove() {
        #expect(
            Self.table(why: "paused by anna").text(fitting: 70) == """
                        ID  TARGET                               SINCE  WHY
                1234567890  customer-777-with-a…  2026-11-23T07:00:00Z  paused by anna
                         7  World                 2026-11-23T08:00:00Z
                """)
    }

    @Test func sentencesStandBelowARowThatLeavesNoRoom() {
        #expect(
            Self.table(why: Self.why).text(fitting: 60) == """
                        ID  TARGET                                     SINCE
                1234567890  customer-777-with-a-long-…  2026-11-23T07:00:00Z
                    the hub refused the payload because it is larger than
                    4096 bytes; make it smaller
                         7  World                       2026-11-23T08:00:00Z
                """)
    }

    /// A person types it next.
    @Test func anIdIsNeverShortened() {
        let id = String(repeating: "6f1c2a3e", count: 10)
        var table = TextTable([.id("DEVICE"), .text("HUB"), .prose("NOTE")], widest: 20)
        table.add([id, "a-hub-with-a-long-name", "no such installation"])
        let lines = table.text(fitting: 90).split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("\(id)  a-hub") })
    }

    @Test(arguments: [60, 80, 120, 200])
    func noLineIsLongerThanTheScreen(width: Int) {
        for why in [Self.why, "short", String(repeating: "x", count: 300)] {
            let text = Self.table(why: why).text(fitting: width)
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= width }, "\(text)")
            #expect(text.filter { !" \n".contains($0) }.contains(why.filter { $0 != " " }), "nothing of it is lost")
            #expect(text.contains("1234567890") && text.contains("2026-11-23T07:00:00Z"))
        }
    }

    /// By its name a person knows the row.
    @Test func aNameIsShortenedAfterAllOthers() {
        var table = TextTable([.number("ID"), .name("TARGET"), .text("STATUS"), .text("REASON"), .prose("NOTE")])
        table.add(["7", "customer-777-with-a-long-name", "rejected-for-good", "payload_is_too_large", nil])
        #expect(
            table.text(fitting: 60).hasSuffix("7  customer-777-with-a-long-name  rejected-f…  payload_is_…"),
            "\(table.text(fitting: 60))")
        #expect(
            table.text(fitting: 40).hasSuffix("7  customer-777-wi…  rejecte…  payload…"), "\(table.text(fitting: 40))")
    }

    @Test func onAScreenColumnsWithoutAValueAreLeftOut() {
        var table = TextTable([.number("ID"), .text("LOCALE"), .text("STATUS"), .prose("NOTE")])
        table.add(["7", nil, "due", nil])
        #expect(table.text(fitting: 80) == "ID  STATUS\n 7  due")
        #expect(table.text(fitting: nil) == "ID  LOCALE  STATUS  NOTE\n 7          due")
    }
}
