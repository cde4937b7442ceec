/// What runs side by side while a dispatcher works.
enum Part: Hashable, Sendable {
    case recorder, endingLog, poller, devicePoller, listener, passes, limiters, lanes, deviceLanes, heartbeat, stop
}

/// A part has ended.
struct PartEnd: Sendable {
    let part: Part
    /// Of the heartbeat: why the worker has to register again.
    var beginAnew: BeginAnew?
}

/// One step of the way out: what begins it, and which parts have ended when it is over.
struct ShutdownStep: Sendable {
    var ends: Set<Part> = []
    let begin: @Sendable () async -> Void
}

/// The parts of a dispatcher, as children of one task group.
struct RunningParts {
    private var ended: Set<Part> = []

    mutating func begin(_ part: Part, in group: inout TaskGroup<PartEnd>, _ body: @escaping @Sendable () async -> Void)
    {
        group.addTask {
            await body()
            return PartEnd(part: part)
        }
    }

    mutating func beginHeartbeat(
        in group: inout TaskGroup<PartEnd>, _ body: @escaping @Sendable () async throws(BeginAnew) -> Void
    ) {
        group.addTask {
            do throws(BeginAnew) {
                try await body()
                return PartEnd(part: .heartbeat)
            } catch {
                return PartEnd(part: .heartbeat, beginAnew: error)
            }
        }
    }

    /// Returns when the worker should stop, and why it has to begin anew; nil: it was asked to stop.
    mutating func untilStop(of group: inout TaskGroup<PartEnd>) async -> BeginAnew? {
        while let end = await group.next() {
            ended.insert(end.part)
            if end.part == .stop || end.beginAnew != nil { return end.beginAnew }
        }
        return nil
    }

    /// Returns when all these have ended.
    mutating func until(_ parts: Set<Part>, of group: inout TaskGroup<PartEnd>) async {
        while !parts.isSubset(of: ended), let end = await group.next() { ended.insert(end.part) }
    }
}

extension AsyncStream where Element: Sendable {
    /// Runs a task for each element as it comes, and returns when the stream and all tasks have ended.
    func sideBySide(_ body: @escaping @Sendable (Element) async -> Void) async {
        await withDiscardingTaskGroup { group in
            for await element in self { group.addTask { await body(element) } }
        }
    }
}
