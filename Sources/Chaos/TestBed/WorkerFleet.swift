import Foundation

/// The workers: real `fanfare run` processes, each in a place of its own, where it is begun anew whenever it was ended.
actor WorkerFleet {
    private struct Place {
        var worker: ChildProgram?
        /// nil: the machine's.
        var clock: FakeClock?
        /// A fault is being injected.
        var isBusy = false
    }

    private let command: [String]
    private let directory: String
    private var places: [Place]
    /// Unexpected ends: place and exit status.
    private(set) var surprises: [String] = []

    /// - Parameter clocks: one for each place, or none at all.
    init(command: [String], directory: String, places: Int, clocks: [FakeClock] = []) {
        self.command = command
        self.directory = directory
        self.places = (0..<places).map { Place(clock: $0 < clocks.count ? clocks[$0] : nil) }
    }

    func start() throws { for number in places.indices { try begin(number) } }

    private func begin(_ number: Int) throws {
        let worker = try ChildProgram(
            command, log: "\(directory)/worker-\(number).log",
            environment: places[number].clock?.environment ?? [:])
        places[number].worker = worker
        // For the cleanup shell; the list is missing before the first worker.
        let list = "\(directory)/workers"
        let text = ((try? String(contentsOfFile: list, encoding: .utf8)) ?? "") + "\(worker.id)\n"
        try text.write(toFile: list, atomically: true, encoding: .utf8)
    }

    /// Process ids of those that stand in their places now.
    var ids: [pid_t] { places.compactMap { $0.worker?.id } }

    /// Begins those anew that ended by themselves, and remembers that they did.
    func look() async throws {
        for number in places.indices where !places[number].isBusy {
            guard let worker = places[number].worker, !FileManager.default.fileExists(atPath: "/proc/\(worker.id)/fd")
            else { continue }
            let status = await worker.ended
            surprises.append("worker \(number) ended by itself with \(status): see worker-\(number).log")
            try begin(number)
        }
    }

    /// Injects a fault into a worker that no other fault holds, and makes sure that one runs there afterwards.
    ///
    /// - Parameters:
    ///   - first: the place to look at first; the next free one is taken.
    ///   - body: gets the worker and its clock; returns whether it has ended.
    /// - Returns: the worker's process id; nil: faults hold all of them.
    func take(
        _ first: Int, _ body: @Sendable (ChildProgram, FakeClock?) async throws -> Bool
    ) async throws -> pid_t? {
        let order = places.indices.map { ($0 + first) % places.count }
        guard let number = order.first(where: { !places[$0].isBusy }), let worker = places[number].worker else {
            return nil
        }
        places[number].isBusy = true
        defer { places[number].isBusy = false }
        if try await body(worker, places[number].clock) { try begin(number) }
        return worker.id
    }

    /// Lets all of them read their settings again.
    func reload() { for worker in places.compactMap(\.worker) { worker.reload() } }

    /// As systemd would: SIGTERM, and kill -9 for what does not leave.
    func stop() async {
        let workers = places.compactMap(\.worker)
        for worker in workers {
            worker.signal(SIGCONT)
            worker.signal(SIGTERM)
        }
        for (number, worker) in workers.enumerated() {
            let impatience = Task {
                try await Task.sleep(for: .seconds(30))
                worker.signal(SIGKILL)
            }
            let status = await worker.ended
            impatience.cancel()
            if status != 0 { surprises.append("worker \(number) left with \(status) when it was told to stop") }
        }
        for number in places.indices { places[number].worker = nil }
    }
}
