import CommandLineTool
import Postgres
import PushModel
import Synchronization

/// What the database warns of while a command's statement runs. Taken on the connection's thread.
final class Warnings: Sendable {
    private let taken = Mutex<[Notice]>([])

    var all: [Notice] { taken.withLock { $0 } }

    func take(_ notice: Notice) { taken.withLock { $0.append(notice) } }

    /// - Throws: `Failure` with all of them, if there are any.
    func refuse(_ what: String) throws(Failure) {
        let complaints = all.map { Failure.Complaint(what: what, why: $0.message, hint: $0.hint) }
        if !complaints.isEmpty { throw Failure(complaints, status: .badInput) }
    }

    /// Two lines for each, and how many there are.
    var text: String? {
        let warnings = all
        guard !warnings.isEmpty else { return nil }
        let lines = warnings.map { warning in
            let hint = warning.hint.map { "\nhint: \($0.onOneLine)" } ?? ""
            return "fanfare: warning: \(warning.message.onOneLine)\(hint)"
        }
        return (lines + ["fanfare: \(HumanFormat.count(warnings.count, "warning"))"]).joined(separator: "\n")
    }

    var json: JSONOutput {
        .list(all.map { .object(["message": .text($0.message), "hint": .text($0.hint)]) })
    }
}
