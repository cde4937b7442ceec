import Configuration
import PushModel

/// Why a command could not do its work: a text for people on standard error, and an exit status for the shell.
package struct Failure: Error {
    package struct Complaint: Sendable {
        /// What was tried, or what is wrong: `cannot enqueue`, `config.json`.
        package var what: String
        package var why: String
        /// What to do about it.
        package var hint: String?

        package init(what: String, why: String, hint: String? = nil) {
            self.what = what
            self.why = why
            self.hint = hint
        }
    }

    /// Never empty.
    package var complaints: [Complaint]
    package var status: ExitStatus

    package init(_ complaints: [Complaint], status: ExitStatus) {
        self.complaints = complaints
        self.status = status
    }

    package init(_ what: String, because why: String, hint: String? = nil, status: ExitStatus) {
        self.init([Complaint(what: what, why: why, hint: hint)], status: status)
    }

    /// `fanfare: <what>: <why>` and `hint: …`, one line each.
    ///
    /// - Parameter program: what the line begins with.
    package func text(from program: String = "fanfare") -> String {
        complaints.map { complaint in
            let line = "\(program): " + "\(complaint.what): \(complaint.why)".onOneLine
            guard let hint = complaint.hint else { return line }
            return line + "\nhint: " + hint.onOneLine
        }
        .joined(separator: "\n")
    }
}

extension Failure {
    /// Every problem of the settings, one line each.
    package init(_ problems: [SettingsProblem]) {
        self.init(
            problems.map { Complaint(what: $0.key, why: "\($0.found): \($0.rule)", hint: "\($0.remedy).") },
            status: .configuration)
    }
}
