import Daemon

/// Why a command could not do its work: what a person reads on standard error, and what the shell gets to know.
struct Failure: Error {
    struct Complaint: Sendable {
        /// What was tried, or what is wrong: `cannot enqueue`, `config.json`.
        var what: String
        var why: String
        /// What to do about it.
        var hint: String?
    }

    /// Never empty.
    var complaints: [Complaint]
    var status: ExitStatus

    init(_ complaints: [Complaint], status: ExitStatus) {
        self.complaints = complaints
        self.status = status
    }

    init(_ what: String, because why: String, hint: String? = nil, status: ExitStatus) {
        self.init([Complaint(what: what, why: why, hint: hint)], status: status)
    }

    /// `fanfare: <what>: <why>` and `hint: …`, one line each.
    var text: String {
        complaints.map { complaint in
            let line = "fanfare: " + "\(complaint.what): \(complaint.why)".onOneLine
            guard let hint = complaint.hint else { return line }
            return line + "\nhint: " + hint.onOneLine
        }
        .joined(separator: "\n")
    }
}
