import CommandLineTool
import Foundation

/// Asks a person at the terminal before an action that others will notice.
enum Confirmation {
    /// Returns when the answer is yes.
    ///
    /// - Parameters:
    ///   - question: without the request to type yes.
    ///   - what: cannot be done otherwise.
    ///   - nothing: what did not happen then, such as `nothing was sent`.
    ///   - hint: how to do without a terminal.
    /// - Throws: `Failure` with status 64 without a terminal, and for every other answer.
    static func ask(_ question: String, what: String, nothing: String, hint: String) throws(Failure) {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
            throw Failure(
                what, because: "\(nothing): there is no terminal to confirm it at", hint: hint, status: .usage)
        }
        StandardStreams.printProgress("\(question) Type yes: ")
        guard readLine()?.trimmingCharacters(in: .whitespaces).lowercased() == "yes" else {
            throw Failure(what, because: "\(nothing): it was not confirmed", status: .usage)
        }
    }
}
