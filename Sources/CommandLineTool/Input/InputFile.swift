import Files
import Glibc

/// A file a command was told to read, whole; `-` is standard input.
package enum InputFile {
    /// - Throws: `Failure`, naming the file.
    package static func bytes(of path: String) throws(Failure) -> [UInt8] {
        do throws(FileFault) {
            return path == "-" ? try BoundedFile.bytes(from: STDIN_FILENO) : try BoundedFile.bytes(of: path)
        } catch {
            throw Failure("cannot read \(name(path))", because: error.reason, status: .badInput)
        }
    }

    /// - Throws: `Failure`, also when it is not UTF-8.
    package static func text(of path: String) throws(Failure) -> String {
        guard let text = String(validating: try bytes(of: path), as: UTF8.self) else {
            throw Failure(name(path), because: "it is not UTF-8", status: .badInput)
        }
        return text
    }

    /// As messages call it.
    package static func name(_ path: String) -> String { path == "-" ? "standard input" : path }
}
