import ArgumentParser
import CommandLineTool
import Glibc
import Signing

/// `fanfare console password`
struct MakePassword: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "password", abstract: "Ask for a password, and print what the settings keep of it.",
        discussion: """
            A terminal is asked twice, and shows nothing of it. Without a terminal one line of standard input is the password. \
            What is printed is a hash, by scrypt with a new salt: it belongs into console.users.NAME.password, its variable or \
            its credential file. Reads no settings.

            Example: fanfare console password > /etc/fanfare/credentials/console-users-ana-password
            """)

    @OptionGroup var options: ReportOptions

    func report() throws -> Report {
        let password =
            isatty(STDIN_FILENO) == 1 ? try Self.askTwice() : try NewPassword(NewPassword.line(of: STDIN_FILENO))
        let hash = PasswordHash.make(of: password.text).text
        var report = Report(hash, ["hash": .text(hash)])
        report.remarks.text =
            "Set console.users.NAME.password to this line, in single quotes where a shell or Docker Compose reads it."
        return report
    }

    private static func askTwice() throws(Failure) -> NewPassword {
        let first = try HiddenInput.line(askedBy: "Password: ")
        let password = try NewPassword(first)
        guard try HiddenInput.line(askedBy: "Once more: ") == first else {
            throw NewPassword.refusal("the two are not the same")
        }
        return password
    }
}
