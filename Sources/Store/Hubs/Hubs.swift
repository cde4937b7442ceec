import Foundation
import Postgres
import PushModel

/// The hubs in the database: settings, gates, holds and pauses, shared by all workers.
public struct Hubs: Sendable {
    let database: Database

    public init(database: Database) {
        self.database = database
    }

    /// What the database knows about a hub that a worker is about to serve.
    public struct Registration: Sendable, Equatable {
        /// The hub's number.
        public var hub: Int32
        /// Names the settings that were passed; the worker reports it with every heartbeat.
        public var settingsHash: String
        /// Keys of the settings whose registered values are others.
        public var differing: [String]
    }

    /// Writes a hub's settings if they changed: what a person does with `fanfare migrate up` and `fanfare hub add`. A
    /// change is written to `push.audit`.
    ///
    /// - Returns: the hub's number.
    /// - Throws: `DatabaseError` 42501 unless the login is a member of `push_operator`, or the owner.
    @discardableResult
    public func register(_ hub: HubSettings) async throws(DatabaseError) -> Int32 {
        try await database.single(
            "SELECT push.register_hub(\(Self.json(hub))::json)", doing: "register hub \"\(hub.name)\""
        ) { row in try row.int32() }
    }

    /// Registers a hub that is missing: what a worker does. Registered settings stay as they are, because two
    /// configurations must not overwrite each other's.
    public func registerIfMissing(_ hub: HubSettings) async throws(DatabaseError) -> Registration {
        try await database.single(
            """
            SELECT hub, settings_hash, array_to_string(differing, ',')
              FROM push_worker.register_hub_v1(\(Self.json(hub))::json, replace => false)
            """, doing: "register hub \"\(hub.name)\""
        ) { row in
            Registration(
                hub: try row.int32(), settingsHash: try row.string(),
                differing: try row.string().split(separator: ",").map(String.init))
        }
    }

    /// Names of hubs that have messages pending and no living worker.
    public func unserved() async throws(DatabaseError) -> [String] {
        try await database.query(
            "SELECT unnest(push_worker.unserved_hubs_v1())", doing: "look for hubs that nobody serves"
        ) {
            rows in try rows.map { row in try row.string() }
        }
    }

    /// Ends what has expired of hubs that no living worker serves, in short transactions. Any worker may call it, every
    /// few minutes; it looks at everything that is due at those hubs.
    ///
    /// - Returns: how many messages have expired.
    public func expireUnserved(batch: Int32 = 1000) async throws(DatabaseError) -> Int64 {
        var total: Int64 = 0
        var after: String?
        repeat {
            let done = try await database.single(
                "SELECT expired, next FROM push_worker.expire_unserved_v1(\(batch), \(after))",
                doing: "expire messages of hubs that nobody serves"
            ) { row in (expired: try row.int64(), next: try row.stringOrNil()) }
            total += done.expired
            after = done.next
        } while after != nil
        return total
    }

    /// All settings; `HubSettings` holds no secrets. Sorted, so that equal settings give equal text.
    private static func json(_ hub: HubSettings) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings, numbers and booleans: nothing an encoder could refuse.
        guard let data = try? encoder.encode(hub) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }

    /// Whether a hub takes posts now.
    public struct State: Sendable, Equatable {
        public var hub: Int32
        /// Seconds from now until which the hub asked to wait, at most a day; nil or negative: no wait.
        public var gate: Double?
        /// Why the hub is held; nil: it is not held.
        public var hold: String?
        /// Seconds from now until one message may be tried on a held hub; nil: it is not held, or until a person resumes
        /// it.
        public var probe: Double?
        /// The person who paused it; nil: it is not paused.
        public var pausedBy: String?
        /// Why, in that person's words; nil: none were given.
        public var pauseReason: String?
        /// The key that every worker that has it signs with.
        public var key: HubKey
        /// Posts per second over all workers, 0: no limit; nil: as configured.
        public var rate: Double?
        /// The rate left after the hub throttled, in posts per second; nil: all of it.
        public var slowed: Double?
        /// Seconds from now until a worker whose posts do not get through tries again; negative: it tries now; nil: posts of
        /// all workers get through.
        public var broken: Double?
        /// A hold or a wait has ended, and what was refused meanwhile is not due yet (`returnRefused`).
        public var hasRefused: Bool

        public init(
            hub: Int32, gate: Double? = nil, hold: String? = nil, probe: Double? = nil, pausedBy: String? = nil,
            key: HubKey = .primary, rate: Double? = nil, slowed: Double? = nil, broken: Double? = nil,
            pauseReason: String? = nil, hasRefused: Bool = false
        ) {
            self.hub = hub
            self.gate = gate
            self.hold = hold
            self.probe = probe
            self.pausedBy = pausedBy
            self.key = key
            self.rate = rate
            self.slowed = slowed
            self.broken = broken
            self.pauseReason = pauseReason
            self.hasRefused = hasRefused
        }
    }

    /// Hubs about which the database has something to say; those that are left out take posts, and nothing was set.
    public func states() async throws(DatabaseError) -> [State] {
        try await database.query(
            """
            SELECT hub, gate_seconds, hold_reason, probe_seconds, paused_by, key, rate, slowed_to, broken_seconds,
                   paused_why, has_refused
              FROM push_worker.hub_states_v1()
            """, doing: "read the hubs' gates"
        ) { rows in
            try rows.map { row in
                State(
                    hub: try row.int32(), gate: try row.doubleOrNil(), hold: try row.stringOrNil(),
                    probe: try row.doubleOrNil(), pausedBy: try row.stringOrNil(),
                    key: HubKey(rawValue: try row.string()) ?? .primary, rate: try row.doubleOrNil(),
                    slowed: try row.doubleOrNil(), broken: try row.doubleOrNil(),
                    pauseReason: try row.stringOrNil(), hasRefused: try row.bool())
            }
        }
    }

    /// Closes the gate for all workers, for an hour at most. Never shortens a wait.
    public func closeGate(_ hub: Int32, seconds: Double) async throws(DatabaseError) {
        _ = try await database.execute(
            "SELECT push_worker.close_gate_v1(\(hub), \(seconds))", doing: "close a hub's gate")
    }

    /// Keeps the hub's messages until a probe is accepted or a person resumes the hub.
    ///
    /// - Parameters:
    ///   - seconds: until one message may be tried; infinity: none is, only a person ends the hold.
    ///   - age: seconds since the refused post left. Default 0.
    /// - Returns: false when a hold or a wait was ended after the post had left: nothing is held.
    @discardableResult
    public func hold(
        _ hub: Int32, because reason: String, probeAfter seconds: Double, age: Double = 0
    ) async throws(DatabaseError) -> Bool {
        try await database.single(
            "SELECT push_worker.hold_hub_v1(\(hub), \(reason), \(seconds.isFinite ? seconds : nil), \(age))",
            doing: "hold a hub"
        ) { row in try row.bool() }
    }

    /// Asks whether this worker may try one message on a held hub.
    ///
    /// - Returns: true for one worker only; the next one gets its turn after `seconds`.
    public func takeProbe(_ hub: Int32, next seconds: Double) async throws(DatabaseError) -> Bool {
        try await database.single("SELECT push_worker.take_probe_v1(\(hub), \(seconds))", doing: "probe a held hub") {
            row in
            try row.bool()
        }
    }

    /// After a hold or a wait: makes what the hub refused meanwhile due at once, urgent messages first. One step, of
    /// thousands of messages.
    ///
    /// - Parameters:
    ///   - seconds: within which, from the end of the wait, it would be due by itself.
    ///   - mark: `next` of the step before; nil: the first step.
    /// - Returns: how many; the mark of the next step, nil when nothing is left to do.
    public func returnRefused(
        _ hub: Int32, within seconds: Double, after mark: String?
    ) async throws(DatabaseError) -> (messages: Int64, next: String?) {
        try await database.single(
            "SELECT returned, next FROM push_worker.return_refused_v1(\(hub), \(seconds), \(mark))",
            doing: "make due what a hub refused"
        ) { row in (try row.int64(), try row.stringOrNil()) }
    }

    /// Ends a hold: a probe was accepted.
    public func release(_ hub: Int32) async throws(DatabaseError) {
        _ = try await database.execute("SELECT push_worker.release_hub_v1(\(hub))", doing: "release a hub")
    }

    /// The hub throttled: all workers continue with half the posts per second.
    ///
    /// - Parameters:
    ///   - configured: posts per second, unless the database says otherwise; 0: no limit.
    ///   - measured: posts per second the hub took from this worker lately.
    ///   - age: seconds since the refused post left.
    /// - Returns: posts per second over all workers from now on; nil when they slowed down for this refusal already.
    public func slowDown(
        _ hub: Int32, configured: Double, measured: Double, age: Double, because reason: String
    ) async throws(DatabaseError) -> Double? {
        try await database.single(
            "SELECT push_worker.slow_down_v1(\(hub), \(configured), \(measured), \(age), \(reason))",
            doing: "slow down a hub"
        ) { row in try row.doubleOrNil() }
    }

    /// None of our posts gets through; we try again after `seconds`. The other workers try with one post first.
    public func openBreaker(_ hub: Int32, seconds: Double, because reason: String) async throws(DatabaseError) {
        _ = try await database.execute(
            "SELECT push_worker.open_breaker_v1(\(hub), \(seconds), \(reason))",
            doing: "report that nothing gets through to a hub")
    }

    /// A post got through again.
    public func closeBreaker(_ hub: Int32) async throws(DatabaseError) {
        _ = try await database.execute(
            "SELECT push_worker.close_breaker_v1(\(hub))", doing: "report that a hub works again")
    }

    /// The hub takes only this key: all workers that have it sign with it from now on.
    public func use(_ key: HubKey, at hub: Int32, because reason: String) async throws(DatabaseError) {
        _ = try await database.execute(
            "SELECT push_worker.use_key_v1(\(hub), \(key.rawValue), \(reason))", doing: "report which key a hub takes")
    }

    /// Makes all workers sign with the hub's other key, within a second. Written to `push.audit`.
    ///
    /// - Returns: the key in use from now on.
    /// - Throws: `DatabaseError` P0002 when no hub has that name, 55000 when no living worker has a secondary key for it.
    public func rotate(_ name: String) async throws(DatabaseError) -> HubKey {
        try await database.single("SELECT push.rotate_hub(\(name))", doing: "rotate the keys of hub \"\(name)\"") {
            row in HubKey(rawValue: try row.string()) ?? .primary
        }
    }

    /// Takes permissions for posts to a hub with a rate.
    ///
    /// - Parameters:
    ///   - configured: posts per second, unless the database says otherwise; 0: no limit.
    ///   - rampSeconds: in which the rate grows to its height after a minute without posts. Default 0: it is there at
    ///     once.
    /// - Returns: how many posts may leave, at most `wanted`, and the seconds until one more may.
    public func takeTokens(
        _ hub: Int32, configured: Double, wanted: Int32, rampSeconds: Double = 0
    ) async throws(DatabaseError) -> (granted: Int, wait: Double) {
        try await database.single(
            "SELECT granted, wait FROM push_worker.take_tokens_v1(\(hub), \(configured), \(wanted), \(rampSeconds))",
            doing: "ask how many posts a hub's rate allows"
        ) { row in (Int(try row.int32()), try row.double()) }
    }

    /// Gives back permissions that were not used.
    public func returnTokens(_ count: Int, of hub: Int32) async throws(DatabaseError) {
        _ = try await database.execute(
            "SELECT push_worker.return_tokens_v1(\(hub), \(Int32(clamping: count)))",
            doing: "give back what a hub's rate allows")
    }

    /// Stops sending to a hub until `resume`; its messages wait. Written to `push.audit`.
    ///
    /// - Parameter reason: at most 200 characters, shown with who paused it; nil: none.
    /// - Throws: `DatabaseError` P0002 when no hub has that name, 22023 when the reason is too long.
    public func pause(_ name: String, because reason: String? = nil) async throws(DatabaseError) {
        _ = try await database.execute("SELECT push.pause_hub(\(name), \(reason))", doing: "pause hub \"\(name)\"")
    }

    /// Ends a pause or a hold: the hub is tried at once. Written to `push.audit`.
    ///
    /// - Throws: `DatabaseError` P0002 when no hub has that name.
    public func resume(_ name: String) async throws(DatabaseError) {
        _ = try await database.execute("SELECT push.resume_hub(\(name))", doing: "resume hub \"\(name)\"")
    }

    /// Opens a hub's gate although the hub asked to wait: the next post shows whether it still does. Written to
    /// `push.audit`.
    ///
    /// - Throws: `DatabaseError` P0002 when no hub has that name.
    public func openGate(_ name: String) async throws(DatabaseError) {
        _ = try await database.execute("SELECT push.open_gate(\(name))", doing: "open the gate of hub \"\(name)\"")
    }

    /// Refuses all changes of devices that wait at a hub. Written to `push.audit`.
    ///
    /// - Returns: how many.
    /// - Throws: `DatabaseError` P0002 when no hub has that name.
    public func cancelDevices(of name: String) async throws(DatabaseError) -> Int64 {
        try await database.single(
            "SELECT push.cancel_devices(\(name))", doing: "refuse the changes of devices that wait at hub \"\(name)\""
        ) { row in try row.int64() }
    }

    /// Removes a hub: nothing can be enqueued for it any more. Written to `push.audit`.
    ///
    /// - Throws: `DatabaseError` P0002 when no hub has that name or it was removed already, 55000 while a worker serves it,
    ///   or while messages or changes of devices wait.
    public func remove(_ name: String) async throws(DatabaseError) {
        _ = try await database.execute("SELECT push.remove_hub(\(name))", doing: "remove hub \"\(name)\"")
    }

    /// Sets the posts per second over all workers; nil: as configured. Written to `push.audit`.
    ///
    /// - Throws: `DatabaseError` P0002 when no hub has that name, 22023 for a rate out of range.
    public func setRate(_ name: String, _ rate: Double?) async throws(DatabaseError) {
        _ = try await database.execute(
            "SELECT push.set_rate(\(name), (\(rate))::real)", doing: "set the rate of hub \"\(name)\"")
    }
}
