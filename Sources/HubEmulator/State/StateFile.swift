import Files
import Foundation

/// The file that keeps an emulator's state across restarts. Only one emulator at a time can use it.
///
/// It is never changed in place: a new file is written beside it and renamed, so that a process killed at any moment
/// leaves either the old or the new file complete.
final class StateFile: Sendable {
    let path: String
    /// Locked as long as this object lives. The lock also ends when the process is killed.
    private let lock: Int32

    /// - Throws: `EmulatorError` when another emulator uses the file, or the folder is not writable.
    init(_ path: String) throws(EmulatorError) {
        self.path = path
        lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw EmulatorError("cannot open \(path).lock: \(Self.reason())") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno == EWOULDBLOCK ? "another emulator is using it" : Self.reason()
            // All properties are set, so `deinit` runs and closes the lock.
            throw EmulatorError("cannot use the state file \(path): \(reason)")
        }
    }

    deinit { close(lock) }

    /// The records in the file; none when it does not exist yet.
    ///
    /// - Throws: `EmulatorError` naming the file and the line when it is damaged. The file is left unchanged.
    func read() throws(EmulatorError) -> [(line: Int, record: StateRecord)] {
        let data: Data
        do throws(FileFault) {
            data = Data(try BoundedFile.bytes(of: path))
        } catch .missing {
            return []
        } catch {
            throw EmulatorError("cannot read the state file \(path): \(error.reason)")
        }
        do throws(EmulatorError) {
            return try StateRecord.read(data)
        } catch {
            throw damaged(error)
        }
    }

    func damaged(_ error: EmulatorError) -> EmulatorError {
        EmulatorError("the state file \(path) is damaged and was left unchanged: \(error.description)")
    }

    /// Replaces all records. When this returns, they are on disk.
    ///
    /// - Parameter fill: calls `add` for each record.
    /// - Throws: `EmulatorError` when the file cannot be written, and what `fill` throws. The old file then remains.
    func write(
        _ fill: (_ add: (StateRecord) throws(EmulatorError) -> Void) throws(EmulatorError) -> Void
    ) throws(EmulatorError) {
        let file = try writing { () throws(FileFault) in try AtomicFile(path, mode: 0o600) }
        let encoder = StateRecord.encoder()
        func add(_ record: StateRecord) throws(EmulatorError) {
            guard let data = try? encoder.encode(record) else {
                throw EmulatorError("a record cannot be written as JSON")
            }
            try writing { () throws(FileFault) in
                try file.append(data)
                try file.append([UInt8(ascii: "\n")])
            }
        }
        var count = 0
        try add(StateRecord(format: StateRecord.format))
        try fill { record throws(EmulatorError) in
            try add(record)
            count += 1
        }
        try add(StateRecord(records: count))
        try writing { () throws(FileFault) in try file.commit(isDurable: true) }
    }

    private func writing<Result>(_ step: () throws(FileFault) -> Result) throws(EmulatorError) -> Result {
        do throws(FileFault) {
            return try step()
        } catch {
            throw EmulatorError("cannot write \(path): \(error.reason)")
        }
    }

    private static func reason() -> String { String(cString: strerror(errno)) }
}
