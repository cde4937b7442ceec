import CommandLineTool
import Postgres
import Store

/// Finds the line a refusal is about: not every refusal names the row, and no refusal names the line.
enum FailedLineLocator {
    /// Enqueues half of the lines, and half of those, each time rolled back, until one line alone is refused with the
    /// same words.
    ///
    /// - Parameter attempt: enqueues and undoes it.
    /// - Returns: its number; nil when no single line is at fault.
    static func find(
        in lines: [MessageLine], error: DatabaseError,
        by attempt: nonisolated(nonsending) ([NewMessage]) async throws -> Void
    ) async throws -> Int? {
        var rest = lines[...]
        while rest.count > 1 {
            let half = rest.prefix(rest.count / 2)
            rest = try await isRefused(half, as: error, by: attempt) ? half : rest.dropFirst(half.count)
        }
        guard let line = rest.first, try await isRefused(rest, as: error, by: attempt) else { return nil }
        return line.number
    }

    /// A refusal that names the line it is about.
    ///
    /// - Returns: nil when it is not the input that is wrong.
    static func failure(_ error: DatabaseError, of path: String, line: Int) -> Failure? {
        guard var failure = Failure(of: error), failure.status == .badInput else { return nil }
        failure.complaints[0].what = "\(InputFile.name(path)), line \(line)"
        failure.complaints[0].why = withoutRow(failure.complaints[0].why)
        return failure
    }

    /// The message of a refusal without `message 5 (tag "World"): ` in front, as push_internal.row_name writes it: the number is
    /// that of the row in its statement.
    static func withoutRow(_ message: String) -> String {
        guard message.hasPrefix("message ") || message.hasPrefix("row "),
            let place = message.firstRange(of: ": push.message")
        else { return message }
        return String(message[place.lowerBound...].dropFirst(2))
    }

    private static func isRefused(
        _ lines: ArraySlice<MessageLine>, as error: DatabaseError,
        by attempt: nonisolated(nonsending) ([NewMessage]) async throws -> Void
    ) async throws -> Bool {
        do {
            try await attempt(lines.map(\.message))
            return false
        } catch let other as DatabaseError {
            if other.isTransient { throw other }
            return other.sqlState == error.sqlState && withoutRow(other.message) == withoutRow(error.message)
        }
    }
}
