import Foundation

/// The file that outlives an emulator. One emulator at a time has it; a second one is refused.
///
/// It is never changed in place: a new one is written beside it and put in its stead, so that a process killed at any
/// moment leaves the old one or the new one, whole.
final class StateFile: Sendable {
    let path: String
    /// Locked as long as this lives, also when the process is killed.
    private let lock: Int32

    /// - Throws: `EmulatorError` when another emulator has the file, or the place cannot be written to.
    init(_ path: String) throws(EmulatorError) {
        self.path = path
        lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw EmulatorError("cannot open \(path).lock: \(Self.reason())") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno == EWOULDBLOCK ? "another emulator has it" : Self.reason()
            // deinit closes it: with `lock` everything has its value, and so an error ends a whole object.
            throw EmulatorError("cannot use the state file \(path): \(reason)")
        }
    }

    deinit { close(lock) }

    /// What is in it; nothing when there is no such file yet.
    ///
    /// - Throws: `EmulatorError` naming the file and the line when it is damaged. It is left as it is.
    func read() throws(EmulatorError) -> [(line: Int, record: StateRecord)] {
        guard access(path, F_OK) == 0 else { return [] }
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw EmulatorError("cannot read the state file \(path)")
        }
        do throws(EmulatorError) {
            return try StateRecord.read(data)
        } catch {
            throw damaged(error)
        }
    }

    func damaged(_ error: EmulatorError) -> EmulatorError {
        EmulatorError("the state file \(path) is damaged, and was left as it is: \(error.description)")
    }

    /// Puts records in the place of what is in it. When this returns they are on the disk.
    ///
    /// - Parameter fill: is given what takes a record.
    /// - Throws: `EmulatorError` when it cannot be written, and what `fill` throws; then the old one is still there.
    func write(
        _ fill: (_ add: (StateRecord) throws(EmulatorError) -> Void) throws(EmulatorError) -> Void
    ) throws(EmulatorError) {
        let temporary = path + ".new"
        let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw EmulatorError("cannot write \(temporary): \(Self.reason())") }
        defer { close(file) }
        // An old one may have had another mode.
        guard fchmod(file, 0o600) == 0 else { throw EmulatorError("cannot write \(temporary): \(Self.reason())") }
        let encoder = StateRecord.encoder()
        var buffer = Data()
        func add(_ record: StateRecord) throws(EmulatorError) {
            do {
                buffer.append(try encoder.encode(record))
            } catch {
                throw EmulatorError("a record cannot be written as JSON")
            }
            buffer.append(UInt8(ascii: "\n"))
            if buffer.count >= 1_048_576 { try Self.flush(&buffer, to: file, temporary) }
        }
        var count = 0
        try add(StateRecord(format: StateRecord.format))
        try fill { record throws(EmulatorError) in
            try add(record)
            count += 1
        }
        try add(StateRecord(records: count))
        try Self.flush(&buffer, to: file, temporary)
        guard fsync(file) == 0, rename(temporary, path) == 0 else {
            throw EmulatorError("cannot write \(path): \(Self.reason())")
        }
        syncFolder()
    }

    private static func flush(_ buffer: inout Data, to file: Int32, _ name: String) throws(EmulatorError) {
        var written = 0
        while written < buffer.count {
            let count = buffer.withUnsafeBytes { Glibc.write(file, $0.baseAddress! + written, $0.count - written) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw EmulatorError("cannot write \(name): \(reason())") }
            written += count
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// So that the new name survives a power cut too; where a folder cannot be synced there is nothing to be done.
    private func syncFolder() {
        let folder = open(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    private static func reason() -> String { String(cString: strerror(errno)) }
}
