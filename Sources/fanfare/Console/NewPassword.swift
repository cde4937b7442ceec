import CommandLineTool
import Glibc
import Signing

/// A password that a person has chosen. Pure, but for `line`.
struct NewPassword: Equatable {
    let text: String

    /// - Parameter line: without its end.
    /// - Throws: `Failure`, which does not show it.
    init(_ line: [UInt8]) throws(Failure) {
        guard !line.isEmpty else { throw Self.refusal("it is empty") }
        guard line.count <= PasswordHash.longestPassword else {
            throw Self.refusal("it has more than \(PasswordHash.longestPassword) bytes")
        }
        guard let text = String(validating: line, as: UTF8.self) else { throw Self.refusal("it is not UTF-8") }
        // No field of a page takes them (RFC 8265, section 4.2.2); an arrow key is typed as one.
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw Self.refusal("it has a control character", hint: "Letters, digits, signs and blanks are fine.")
        }
        guard text.count >= Self.shortest else {
            throw Self.refusal(
                "it has fewer than \(Self.shortest) characters", hint: "Several words are long and easy to remember.")
        }
        self.text = text
    }

    /// Characters (RFC 8265 leaves it open; NIST SP 800-63B, section 5.1.1.2, asks for 8).
    static let shortest = 8

    static func refusal(_ why: String, hint: String? = nil) -> Failure {
        Failure("password refused", because: why, hint: hint, status: .badInput)
    }

    /// The one line of a file or pipe, without its end.
    ///
    /// - Throws: `Failure` also where another line follows: a password that was cut off would be another one.
    static func line(of descriptor: Int32) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count == 0 { break }
            guard count > 0 || errno == EINTR else {
                throw Failure(
                    "cannot read standard input", because: String(cString: strerror(errno)), status: .badInput)
            }
            bytes += piece.prefix(max(0, count))
            // Too long already, so its end, which may never come, is not waited for.
            if bytes.count > PasswordHash.longestPassword + 2 { break }
        }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.contains(UInt8(ascii: "\n")) else {
            throw refusal("standard input has more than one line", hint: "Write the password alone, on one line.")
        }
        return bytes
    }
}
