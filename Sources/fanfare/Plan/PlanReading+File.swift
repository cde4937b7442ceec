import CommandLineTool
import Concurrency
import Postgres
import PushModel
import Store

extension PlanReading {
    /// Lines that are inserted with one statement, as `fanfare enqueue` does with a whole file: only rows of one portion share a
    /// content or a post.
    static let portion = 5_000
    /// Lines that the table refuses, and that are found and left out before the rest is planned.
    static let mostBadLines = 20

    /// What would become of the messages of a file. They are inserted, planned and rolled back.
    ///
    /// - Throws: also `Failure` with the number of a line that cannot be read.
    func book(ofFile path: String, hub: String?, _ database: Database) async throws -> PlanBook {
        let store = Messages(database: database)
        let lines = try InputLines(path)
        let progress = ProgressLine()
        var book: PlanBook?
        var (portions, rows) = (0, Int64(0))
        while let portion = try MessageLine.next(Self.portion, of: lines, path) {
            var kept: [FileRow] = []
            for line in portion {
                if hub == nil || line.message.hub == hub { kept.append(FileRow(line: line, first: rows + 1)) }
                rows += try line.rows()
            }
            if kept.isEmpty { continue }
            portions += 1
            try await add(kept, to: &book, by: store)
            if let book { await progress.show("\(HumanFormat.grouped(book.rows)) rows planned") }
        }
        await progress.end()
        guard var book else { return try await PlanReader.read(database) { PlanBook(asOf: $0.asOf, wanted: wanted) } }
        if portions > 1 {
            book.notes.append(
                "planned in \(portions) portions of \(HumanFormat.grouped(Self.portion)) lines: rows of different portions share no post here"
            )
        }
        return book
    }

    /// A line, and the number of the first of its rows: they are counted through the file, and do not differ from run to run as ids do.
    private struct FileRow {
        let line: MessageLine
        let first: Int64
    }

    private func add(_ lines: [FileRow], to book: inout PlanBook?, by store: Messages) async throws {
        var lines = lines
        var bad: [PlanBook.BadLine] = []
        while !lines.isEmpty {
            do {
                var grown = book
                let began = SystemClock.monotonicSeconds()
                try await store.rehearse(lines.map(\.line.message)) { reader, enqueued in
                    var next = grown ?? PlanBook(asOf: reader.asOf, wanted: wanted)
                    // A row is due when it was inserted, after the transaction began.
                    let asOf = reader.asOf + SystemClock.monotonicSeconds() - began
                    try await plan(enqueued, of: lines, asOf: asOf, by: reader, in: &next)
                    grown = next
                }
                book = grown
                break
            } catch let error as DatabaseError {
                guard bad.count < Self.mostBadLines, Failure(of: error)?.status == .badInput,
                    let number = try await FailedLineLocator.find(in: lines.map(\.line), error: error, by: store)
                else { throw error }
                lines.removeAll { $0.line.number == number }
                bad.append(
                    PlanBook.BadLine(line: number, why: FailedLineLocator.withoutRow(error.message), hint: error.hint))
            }
        }
        if book == nil { book = PlanBook(asOf: SystemClock.wallSeconds(), wanted: wanted) }
        book?.badLines += bad
    }

    private func plan(
        _ enqueued: [Messages.Enqueued], of lines: [FileRow], asOf: Double, by reader: PlanReader,
        in book: inout PlanBook
    ) async throws {
        let numbers = Dictionary(
            zip(enqueued, lines).lazy.filter(\.0.inserted).map { ($0.id, $1.first) }
        ) { first, _ in first }
        let ids = numbers.keys.sorted()
        book.duplicates += zip(enqueued, lines).filter { !$0.0.inserted }.map(\.1.line.number)
        for lane in try await reader.lanes(asOf: asOf, only: ids) {
            try await begin(lane, of: reader, in: &book)
            var position = DuePosition.start
            while let claim = try await reader.claim(lane, after: position, asOf: asOf, only: ids, limit: batch) {
                position = claim.position
                book.add(
                    claim.numbered(by: numbers), priority: lane.priority,
                    now: max(asOf, claim.position.dueAt.secondsSince1970))
            }
        }
    }
}
