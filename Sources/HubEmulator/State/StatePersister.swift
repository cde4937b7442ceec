import Foundation
import Logging
import Synchronization

/// Keeps the state file up to date: checks for changes once a second and rewrites the file, on its own queue. Requests
/// never wait for it.
final class StatePersister: Sendable {
    private struct State {
        var file: StateFile?
        /// The change count of all hubs when the file was last read or written.
        var savedChanges = 0
        var isStopped = false
        /// The last error, so that it is logged only once.
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

    /// Loads the file into the hubs, and from then on writes their changes. Called once.
    ///
    /// - Throws: `EmulatorError` when another emulator uses the file, or it is damaged or names an unknown hub.
    func start() throws(EmulatorError) {
        let file = try StateFile(path)
        for (line, record) in try file.read() {
            do throws(EmulatorError) {
                guard let name = record.hub else { throw EmulatorError("the hub is missing") }
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
            state.savedChanges = changes
        }
        scheduleWrite(after: .seconds(1))
    }

    /// Writes the last changes and releases the file.
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

    private func scheduleWrite(after pause: DispatchTimeInterval) {
        queue.asyncAfter(deadline: .now() + pause) { [weak self] in
            guard let self, !self.state.withLock({ $0.isStopped }) else { return }
            let began = ContinuousClock.now
            self.write()
            // A file that takes long to write is written less often, so that writing takes at most a fifth of one core.
            let busy = Int(began.duration(to: .now) / .milliseconds(1))
            self.scheduleWrite(after: .milliseconds(max(1_000, busy * 4)))
        }
    }

    /// Runs only on `queue`.
    private func write() {
        let current = changes
        guard let file = state.withLock({ $0.savedChanges == current ? nil : $0.file }) else { return }
        do throws(EmulatorError) {
            try file.write { add throws(EmulatorError) in
                for hub in hubs { try hub.forEachRecord(add) }
            }
            state.withLock { state in
                state.savedChanges = current
                state.failure = nil
            }
        } catch {
            let isNew = state.withLock { state in
                defer { state.failure = error.description }
                return state.failure != error.description
            }
            if isNew { logger.error("cannot save the state: \(error.description)") }
        }
    }
}
