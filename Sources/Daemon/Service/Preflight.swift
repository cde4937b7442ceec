import Postgres
import PushWorker
import Store

/// What a worker looks at before it begins, and once a minute while it works: this machine's clock beside the database's,
/// and the settings that its sessions have.
///
/// At the start either of them stops it, before anything is claimed. Later it only logs what it sees: a worker's clock
/// decides nothing but signatures, and functions of the schema refuse settings that they cannot work with.
struct Preflight: Sendable {
    let database: Postgres.Database
    /// Seconds since 1970 by this machine's clock.
    var clock: @Sendable () -> Double = Clock.system.wall

    /// Looks once, before the worker begins.
    ///
    /// - Parameter judgesClock: whether a clock that is wrong by more than a minute stops the worker.
    /// - Throws: `UnfitDatabase`, `DatabaseError`.
    func pass(judgesClock: Bool) async throws {
        if let fault = try await look().fault(judgesClock: judgesClock) { throw fault }
    }

    /// - Throws: `DatabaseError`, transient where transactions may not write: that is mostly for a while.
    func look() async throws(DatabaseError) -> Findings {
        let broken = try await database.brokenSettings()
        if let readOnly = broken.first(where: { $0.name == SessionSetting.writable.name }) {
            var error = DatabaseError(
                doing: "work", sqlState: SQLState.readOnlyTransaction.rawValue, message: "\(readOnly)")
            error.hint = readOnly.remedy
            throw error
        }
        let difference = try await ClockDifference.measure(from: database, clock: clock)
        return Findings(broken: broken, clock: difference)
    }

    struct Findings: Sendable, Equatable {
        var broken: [BrokenSetting]
        var clock: ClockDifference

        func fault(judgesClock: Bool) -> UnfitDatabase? {
            if !broken.isEmpty { return .settings(broken) }
            return judgesClock && clock.isTooLarge ? .clock(clock) : nil
        }
    }
}

/// Why no worker begins on this database, or on this machine.
public enum UnfitDatabase: Error, Sendable, CustomStringConvertible {
    /// Never empty.
    case settings([BrokenSetting])
    case clock(ClockDifference)

    public var description: String {
        switch self {
        case .settings(let broken): broken.map(\.description).joined(separator: "; ")
        case .clock(let difference): difference.words
        }
    }

    /// What to do about it.
    public var remedy: String {
        switch self {
        case .settings(let broken): broken.map(\.remedy).joined(separator: "; ")
        case .clock: ClockDifference.remedy
        }
    }
}

extension ClockDifference {
    /// `this machine's clock is 90000 s ahead of the database's; 60 s are allowed`
    var words: String {
        let side = seconds < 0 ? "ahead of" : "behind"
        return "this machine's clock is \(Int(abs(seconds).rounded())) s \(side) the database's; "
            + "\(Int(Self.tolerance)) s are allowed"
    }

    static let remedy = "set both clocks by NTP (timedatectl set-ntp true): tokens are signed by this machine's"
}
