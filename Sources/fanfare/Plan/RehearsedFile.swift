import Postgres
import PushModel
import Store

/// What is known of a file of messages while it is inserted and planned: numbers, and no line. Pure.
struct RehearsedFile {
    /// A line, and the number of the first of its rows.
    struct Row {
        let line: MessageLine
        let first: Int64
        /// Its translations.
        let count: Int64
    }

    private struct Lane: Hashable {
        let hub: String
        let priority: Int16
    }

    /// Of one lane: a message that was inserted, and how many.
    private struct Inserted {
        let example: Int64
        var rows: Int64 = 0
    }

    /// Of the whole file, also those that are left out.
    private(set) var rows = 0
    private(set) var portions = 0
    private(set) var numbers = FileRows()
    /// The first message that was inserted; nil: none was.
    private(set) var first: Int64?
    /// Lines whose `dedupe_key` is used already.
    private(set) var duplicates: [Int] = []
    var badLines: [PlanBook.BadLine] = []
    private var lanes: [Lane: Inserted] = [:]
    private var earliest = Double.infinity
    private var hasContentKeys = false

    /// Counts the rows of the next lines.
    ///
    /// - Parameter hub: nil: all lines are wanted.
    /// - Returns: those of this hub.
    /// - Throws: never for lines that were read from a file.
    mutating func rows(of lines: [MessageLine], hub: String?) throws(LineFault) -> [Row] {
        var wanted: [Row] = []
        for line in lines {
            let count = try line.rows()
            if hub == nil || line.message.hub == hub {
                wanted.append(Row(line: line, first: Int64(rows) + 1, count: count))
            }
            rows += Int(count)
        }
        return wanted
    }

    /// Adds a portion that was inserted: at least one line.
    mutating func add(_ portion: [Row], _ enqueued: [Messages.Enqueued]) {
        portions += 1
        numbers.beginPortion()
        for (row, became) in zip(portion, enqueued) {
            guard became.inserted else {
                duplicates.append(row.line.number)
                continue
            }
            let message = row.line.message
            first = min(first ?? became.id, became.id)
            numbers.add(id: became.id, number: row.first, rows: row.count)
            earliest = min(earliest, became.sendAt ?? -.infinity)
            if message.contentKey != nil { hasContentKeys = true }
            let lane = Lane(hub: message.hub, priority: message.priority ?? Priority.normal.rawValue)
            lanes[lane, default: Inserted(example: became.id)].rows += row.count
        }
    }

    /// One message of each lane.
    var oneOfEachLane: [Int64] { lanes.values.map(\.example) }

    /// How many rows were inserted into it; more where some of them were duplicates.
    func rows(of lane: PlanLane) -> Int {
        Int(lanes[Lane(hub: lane.settings.name, priority: lane.priority.rawValue)]?.rows ?? 0)
    }

    /// Before all of its pointers. With a content_key they may stand where a content in the table has its own.
    var start: DuePosition {
        guard !hasContentKeys, earliest > -.infinity, earliest < .infinity else { return .start }
        return DuePosition(dueAt: Timestamp(secondsSince1970: earliest - 1), id: .max)
    }
}
