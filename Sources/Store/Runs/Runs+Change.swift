import Postgres
import PushModel

extension Runs {
    /// Where messages of a run belong in its state.
    public enum Move: String, Sendable, CaseIterable {
        /// What workers gave back lies still until the run is resumed.
        case park
        /// What is parked is due again.
        case giveBack = "give_back"
        /// Everything that is not posted ends.
        case cancel
        /// What is parked ends; what is due may still be sent.
        case expire
    }

    /// - Parameters:
    ///   - event: as `push.run_transition.event`.
    ///   - why: in words; nil: nothing to say.
    /// - Returns: the new state; nil: somebody else changed the run since the look.
    public func change(_ look: Look, event: String, why: String?) async throws(DatabaseError) -> RunState? {
        try await database.single(
            "SELECT push_worker.change_run_v1(\(look.run), \(look.since), \(event), \(why))::text",
            doing: "change a run"
        ) { row in try row.runStateOrNil() }
    }

    /// Ends a run whose slices are all counted. Afterwards no worker updates it.
    ///
    /// - Parameter pausingSchedule: why the schedule that started it pauses itself; nil: it does not.
    /// - Returns: its state; nil: a message of it is under way again, or somebody else changed the run since the look.
    public func end(
        _ look: Look, event: String, why: String?, pausingSchedule: String?
    ) async throws(DatabaseError) -> RunState? {
        try await database.single(
            "SELECT push_worker.end_run_v1(\(look.run), \(look.since), \(event), \(why), \(pausingSchedule))::text",
            doing: "end a run"
        ) { row in try row.runStateOrNil() }
    }

    /// - Parameter batch: messages at most.
    /// - Returns: how many messages it moved; 0 also where somebody changed the run since the look.
    public func move(_ look: Look, _ move: Move, batch: Int32) async throws(DatabaseError) -> Int64 {
        try await database.single(
            "SELECT push_worker.move_messages_v1(\(look.run), \(look.since), \(move.rawValue), \(batch))",
            doing: "move messages of a run"
        ) { row in try row.int64() }
    }
}
