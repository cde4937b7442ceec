import CommandLineTool
import Postgres
import PushModel
import Store

extension PlanReading {
    /// Lines that the table refuses, and that are left out while the rest is planned.
    private static let mostBadLines = 20
    /// Portions in which refused lines can be left out: see `Messages.Rehearsal.attempt`.
    private static let guardedPortions = 50

    /// What would become of the messages of a file: they are inserted portion by portion in one transaction, planned as a worker
    /// would claim them, and rolled back. The file is not held in memory.
    ///
    /// - Throws: also `Failure` with the number of a line that cannot be read, or that the table refuses where it cannot be left
    ///   out.
    func book(ofFile path: String, hub: String?, _ database: Database) async throws -> PlanBook {
        let store = Messages(database: database)
        var portions = try MessagePortions(path, lines: portion)
        var file = RehearsedFile()
        var unguarded: [MessageLine] = []
        do {
            return try await store.rehearsal { rehearsal in
                let progress = ProgressLine()
                // A login that may not read what is due is told so before anything is inserted.
                _ = try await rehearsal.reader.lanes(only: [])
                while let lines = try portions.next() {
                    let wanted = try file.rows(of: lines, hub: hub)
                    if wanted.isEmpty { continue }
                    if file.portions < Self.guardedPortions {
                        try await insert(wanted, of: path, into: &file, by: rehearsal)
                    } else {
                        unguarded = wanted.map(\.line)
                        file.add(wanted, try await rehearsal.enqueue(unguarded.map(\.message)))
                    }
                    await progress.show("\(HumanFormat.grouped(file.rows)) rows read")
                }
                let book = try await plan(file, asOf: try await rehearsal.now(), by: rehearsal.reader, progress)
                await progress.end()
                return book
            }
        } catch let error as DatabaseError {
            guard !unguarded.isEmpty, Failure(of: error)?.status == .badInput else { throw error }
            let number = try await FailedLineLocator.find(in: unguarded, error: error) { messages in
                try await store.rehearse(messages)
            }
            throw number.flatMap { FailedLineLocator.failure(error, of: path, line: $0) } ?? error
        }
    }

    private func insert(
        _ wanted: [RehearsedFile.Row], of path: String, into file: inout RehearsedFile, by rehearsal: Messages.Rehearsal
    ) async throws {
        var wanted = wanted
        while !wanted.isEmpty {
            do {
                file.add(wanted, try await rehearsal.attempt(wanted.map(\.line.message)))
                return
            } catch let error as DatabaseError {
                guard let failure = Failure(of: error), failure.status == .badInput,
                    let number = try await FailedLineLocator.find(
                        in: wanted.map(\.line), error: error,
                        by: { messages in try await rehearsal.attempt(messages, keeps: false) })
                else { throw error }
                guard file.badLines.count < Self.mostBadLines else {
                    throw FailedLineLocator.failure(error, of: path, line: number) ?? failure
                }
                wanted.removeAll { $0.line.number == number }
                file.badLines.append(
                    PlanBook.BadLine(line: number, why: FailedLineLocator.withoutRow(error.message), hint: error.hint))
            }
        }
    }

    private func plan(
        _ file: RehearsedFile, asOf: Double, by reader: PlanReader, _ progress: ProgressLine
    ) async throws -> PlanBook {
        var book = PlanBook(asOf: reader.asOf, wanted: wanted)
        (book.badLines, book.duplicates) = (file.badLines, file.duplicates)
        if file.portions > 1 {
            book.notes.append(
                "the file was inserted in \(file.portions) portions of about "
                    + "\(HumanFormat.grouped(portion)) lines: rows that are translations of one content "
                    + "without a content_key must lie beside each other")
        }
        guard let first = file.first else { return book }
        lanes: for lane in try await reader.lanes(asOf: asOf, only: file.oneOfEachLane) {
            try await begin(lane, of: reader, in: &book)
            var left = file.rows(of: lane)
            var position = file.start
            while left > 0,
                let claim = try await reader.claim(lane, after: position, asOf: asOf, insertedFrom: first, limit: batch)
            {
                position = claim.position
                let numbered = claim.numbered(by: file.numbers)
                left -= numbered.rowsOfFile
                book.add(numbered, priority: lane.priority, now: max(asOf, position.dueAt.secondsSince1970))
                await progress.show(
                    "\(HumanFormat.grouped(book.rows)) of \(HumanFormat.grouped(file.rows)) rows planned")
                if book.wanted.why?.isComplete == true { break lanes }
            }
        }
        return book
    }
}
