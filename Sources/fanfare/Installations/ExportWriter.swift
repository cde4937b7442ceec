import Foundation
import Glibc

/// Where exported installations go, one per line, and what is told about them afterwards.
final class ExportWriter {
    let progress = InstallationProgress("exported")
    private(set) var written = 0
    private(set) var refused: [String] = []
    var missing: [String] = []
    /// Registrations that belong to no installation.
    var others = 0

    private let path: String?
    private let descriptor: Int32
    /// Written to the file when it is large enough.
    private var waiting: [UInt8] = []
    private var isFinished = false

    /// - Parameter path: nil: standard output.
    /// - Throws: `Failure` when the file cannot be made.
    init(_ path: String?) throws(Failure) {
        self.path = path
        guard let path else {
            descriptor = STDOUT_FILENO
            return
        }
        // Under another name until it is whole, and for nobody else's eyes.
        descriptor = open(path + ".part", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.unwritable(path, errno) }
    }

    deinit {
        guard let path else { return }
        close(descriptor)
        if !isFinished { unlink(path + ".part") }
    }

    /// - Throws: `Failure` when it cannot be written; `StandardStreams.Closed` when nobody reads any more.
    func write(_ document: [UInt8], of id: String) throws {
        guard (try? JSONSerialization.jsonObject(with: Data(document))) is [String: Any] else {
            return refuse(id, "the hub's answer is no whole JSON object")
        }
        // Within strings JSON has no line ends; between values one is as good as a blank.
        let line = document.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
        written += 1
        guard path != nil else { return try StandardStreams.print(String(decoding: line, as: UTF8.self)) }
        waiting += line
        waiting.append(UInt8(ascii: "\n"))
        if waiting.count >= 65_536 { try flush() }
    }

    func refuse(_ id: String, _ why: String) {
        refused.append(id)
        progress.complain("fanfare: installation \"\(id)\": \(why)".onOneLine)
    }

    /// Afterwards the file has its name and is on the disk.
    func finish() throws(Failure) {
        guard let path else { return }
        try flush()
        guard fsync(descriptor) == 0, rename(path + ".part", path) == 0 else { throw Self.unwritable(path, errno) }
        isFinished = true
    }

    private func flush() throws(Failure) {
        guard let path else { return }
        var rest = waiting[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw Self.unwritable(path, errno)
            }
        }
        waiting.removeAll(keepingCapacity: true)
    }

    private static func unwritable(_ path: String, _ code: Int32) -> Failure {
        Failure("cannot write \(path)", because: String(cString: strerror(code)), status: .cannotWrite)
    }
}
