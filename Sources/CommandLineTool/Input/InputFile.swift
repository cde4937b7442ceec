import Files
import Glibc
import PushModel

/// A file that a command reads, whole; `-` is standard input.
package enum InputFile {
    /// Without the byte order mark of UTF-8.
    ///
    /// - Throws: `Failure`, naming the file; also when it is UTF-16.
    package static func bytes(of path: String) throws(Failure) -> [UInt8] {
        let bytes: [UInt8]
        do throws(FileFault) {
            bytes = path == "-" ? try BoundedFile.bytes(from: STDIN_FILENO) : try BoundedFile.bytes(of: path)
        } catch {
            throw Failure("cannot read \(name(path))", because: error.reason, status: .badInput)
        }
        return Array(try ByteOrderMark.removed(from: bytes[...], of: path))
    }

    /// - Throws: `Failure`, also when it is not UTF-8.
    package static func text(of path: String) throws(Failure) -> String {
        guard let text = String(validating: try bytes(of: path), as: UTF8.self) else {
            throw Failure(name(path), because: "it is not UTF-8", status: .badInput)
        }
        return text
    }

    /// A text that is JSON.
    ///
    /// - Throws: `Failure` with the line and column of the first fault.
    package static func json(of path: String) throws(Failure) -> String {
        let text = try text(of: path)
        try checkJSON(text, of: name(path))
        return text
    }

    /// - Parameters:
    ///   - name: what the text is called: a file, an option.
    ///   - hint: what it looks like.
    /// - Throws: `Failure` with the line and column of the first byte that is not JSON, or of the character NUL.
    package static func checkJSON(_ text: String, of name: String, hint: String? = nil) throws(Failure) {
        let bytes = Array(text.utf8)
        func refusal(_ place: LocatedJSON.Place, _ rule: String) -> Failure {
            Failure(
                "\(name), line \(place.line), column \(place.column)", because: rule, hint: hint, status: .badInput)
        }
        do throws(JSONError) {
            _ = try JSONNode(bytes, depthLimit: 512)
        } catch {
            throw refusal(LocatedJSON.Place(of: error, in: bytes), "it is not JSON: \(error.rule)")
        }
        if let nul = JSONText.nul(in: bytes) {
            throw refusal(
                LocatedJSON.Place(of: nul, in: bytes), "\\u0000 is the character NUL, which no text may have")
        }
    }

    /// As messages call it.
    package static func name(_ path: String) -> String { path == "-" ? "standard input" : path }
}
