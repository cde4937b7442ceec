import Testing

@testable import fanfare

@Suite struct FileRowsTests {
    private static func numbers(_ rows: FileRows, _ ids: ClosedRange<Int64>) -> [Int64?] { ids.map(rows.number) }

    @Test func rowsThatFollowEachOtherKeepTheirDistance() {
        var rows = FileRows()
        #expect(rows.number(of: 1) == nil)
        rows.add(id: 10, number: 1, rows: 1)
        rows.add(id: 11, number: 2, rows: 3)
        rows.add(id: 14, number: 5, rows: 1)
        #expect(Self.numbers(rows, 9...15) == [nil, 1, 2, 3, 4, 5, nil])
    }

    @Test func linesThatWereLeftOutHaveNoMessage() {
        var rows = FileRows()
        rows.add(id: 10, number: 1, rows: 1)
        rows.add(id: 11, number: 7, rows: 1)
        rows.beginPortion()
        rows.add(id: 20, number: 8, rows: 1)
        #expect(Self.numbers(rows, 10...21) == [1, 7] + Array(repeating: nil, count: 8) + [8, nil])
    }

    /// Somebody else took ids, or some of its translations are duplicates: of such a line only the first row is known.
    @Test func aLineWhoseIDsAreInDoubtIsKnownByItsFirst() {
        var rows = FileRows()
        rows.add(id: 10, number: 1, rows: 1)
        rows.add(id: 11, number: 2, rows: 3)
        rows.add(id: 15, number: 5, rows: 2)
        rows.add(id: 16, number: 7, rows: 1)
        #expect(Self.numbers(rows, 10...17) == [1, 2, nil, nil, nil, 5, 7, nil])
    }

    @Test func theLastLineOfAPortionHasTheIDsThatFollow() {
        var rows = FileRows()
        rows.add(id: 10, number: 1, rows: 2)
        rows.beginPortion()
        rows.add(id: 30, number: 3, rows: 2)
        #expect(Self.numbers(rows, 10...12) == [1, 2, nil] && Self.numbers(rows, 30...32) == [3, 4, nil])
    }
}
