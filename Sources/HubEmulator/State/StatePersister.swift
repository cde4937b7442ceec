import Foundation
import Logging
import Synchronization

/// Keeps the state file up to date: looks once a second whether anything changed, and writes it all anew, on a thread of
/// its own. No request ever waits for it.
final class StatePersister: Sendable {
    private struct State {
        var file: StateFile?
        /// Of all hubs together, when the file was last read or written.
        var written = 0
        var isStopped = false
        /// What went wrong last time; said once.
        var failure: String?
    }

    private let path: String
    private let hubs: [Hub]
    private let logger: Logger
    private let queue = DispatchQueue(label: "fanfare.emulator.state", qos: .utility)
    private let state = Mutex(State())

    /// - Parameter hubs: by name in lower case.
    init(path: String, hubs: [String: Hub], logger: Logger) {
        self.path = path
        self.hubs = hubs.values.sorted { $0.name < $1.name }
        self.logger = logger
    }

    /// Reads the file into the hubs, and writes it from now on as they change. Called once.
    ///
    /// - Throws: `EmulatorError` when another emulator has the file, it is damaged, or names a hub there is none of.
    func start() throws(EmulatorError) {
        let file = try StateFile(path)
        for (line, record) in try file.read() {
            do throws(EmulatorError) {
                guard let name = record.hub else { throw EmulatorError("it names no hub") }
                guard let hub = hubs.first(where: { $0.name.lowercased() == name.lowercased() }) else {
                    throw EmulatorError("there is no hub \(name)")
                }
                try hub.load(record)
            } catch {
                throw file.damaged(EmulatorError("line \(line): \(error.description)"))
            }
        }
        let changes = changes
        state.withLock { state in
            state.file = file
            state.written = changes
        }
        look(after: .seconds(1))
    }

    /// Writes what has changed since, and lets the next emulator have the file.
    func stop() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            queue.async {
                self.write()
                self.state.withLock { state in
                    state.isStopped = true
                    state.file = nil
                }
                continuation.resume()
            }
        }
    }

    private var changes: Int { hubs.reduce(0) { $0 + $1.changes } }

    private func look(after pause: DispatchTimeInterval) {
        queue.asyncAfter(deadline: .now() + pause) { [weak self] in
            guard let self, !self.state.withLock({ $0.isStopped }) else { return }
            let began = ContinuousClock.now
            self.write()
            // A file that takes long to write is written seldom, so that it takes a fifth of one core at most.
            let busy = Int(began.duration(to: .now) / .milliseconds(1))
            self.look(after: .milliseconds(max(1_000, busy * 4)))
        }
    }

    /// Only ever on `queue`.
    private func write() {
        let now = changes
        guard let file = state.withLock({ $0.written == now ? nil : $0.file }) else { return }
        do throws(EmulatorError) {
            try file.write { add throws(EmulatorError) in
                for hub in hubs { try hub.forEachRecord(add) }
            }
            state.withLock { state in
                state.written = now
                state.failure = nil
            }
        } catch {
            let isNew = state.withLock { state in
                defer { state.failure = error.description }
                return state.failure != error.description
            }
            if isNew { logger.error("the state is not written down: \(error.description)") }
        }
    }
}
