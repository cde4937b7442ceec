import CommandLineTool
import Files
import Foundation

/// Where exported installations go, one per line, and the summary printed afterwards.
final class ExportWriter {
    let progress = InstallationProgress("exported")
    private(set) var written = 0
    private(set) var refused: [String] = []
    var missing: [String] = []
    /// Registrations that belong to no installation.
    var others = 0

    private let path: String?
    /// nil: standard output.
    private let file: AtomicFile?

    /// - Parameter path: nil: standard output.
    /// - Throws: `Failure` when the file cannot be made.
    init(_ path: String?) throws(Failure) {
        self.path = path
        file = try path.map { path throws(Failure) in
            try Failure.writing(path) { () throws(FileFault) in
                try AtomicFile(path, draft: path + ".part", mode: 0o600)
            }
        }
    }

    /// - Throws: `Failure` when it cannot be written; `StandardStreams.Closed` when the reader has closed.
    func write(_ document: [UInt8], of id: String) throws {
        guard (try? JSONSerialization.jsonObject(with: Data(document))) is [String: Any] else {
            return refuse(id, "the hub's answer is not a whole JSON object")
        }
        // JSON has no line ends within strings; between values a line end means the same as a blank.
        let line = document.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
        written += 1
        guard let path, let file else { return try StandardStreams.print(String(decoding: line, as: UTF8.self)) }
        try Failure.writing(path) { () throws(FileFault) in try file.append(line + [UInt8(ascii: "\n")]) }
    }

    func refuse(_ id: String, _ why: String) {
        refused.append(id)
        progress.printError("fanfare: installation \"\(id)\": \(why)".onOneLine)
    }

    /// Afterwards the file has its name and is on the disk.
    func finish() throws(Failure) {
        guard let path, let file else { return }
        try Failure.writing(path) { () throws(FileFault) in try file.commit(isDurable: true) }
    }
}
