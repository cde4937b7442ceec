import Postgres

/// Since when the database keeps a worker from its work: it does not answer, it answers and takes no changes (its disk is
/// full, it is read-only), or a statement waits for a lock. Pure; times are monotonic seconds.
struct DatabaseTrouble {
    /// Who tried to write.
    enum Writer: Hashable {
        case recorder
        case lane(Int)
        /// The device lane of a hub.
        case devices(Int32)
        /// What takes claims away from dead workers.
        case rescue
    }

    private struct Fault {
        var since: Double
        /// When it was last seen.
        var at: Double
        var why: String
    }

    /// What is over.
    struct Ended: Equatable {
        enum Kind: Equatable { case silence, refusal }
        var kind: Kind
        /// How long it lasted, in seconds.
        var seconds: Double
        /// The first error.
        var why: String
    }

    /// The lock that a statement waits for, in words, and since when.
    var lock: (words: String, since: Double)?
    private var silence: Fault?
    private var refusal: Fault?
    /// Whose changes were refused last time.
    private var refused: Set<Writer> = []

    /// A statement failed.
    ///
    /// - Parameter writer: nil: it would have changed nothing, so only a server that does not answer counts.
    mutating func failed(_ error: DatabaseError, by writer: Writer? = nil, now: Double) {
        if error.meansSilence {
            Self.add(error, to: &silence, now)
        } else if let writer {
            refused.insert(writer)
            Self.add(error, to: &refusal, now)
        }
    }

    private static func add(_ error: DatabaseError, to fault: inout Fault?, _ now: Double) {
        fault = Fault(since: fault?.since ?? now, at: now, why: fault?.why ?? error.why)
    }

    /// A statement succeeded.
    ///
    /// - Parameter began: when; one that began before the last failure says nothing about it.
    mutating func answered(began: Double, now: Double) -> Ended? {
        guard let fault = silence, began >= fault.at else { return nil }
        silence = nil
        return Ended(kind: .silence, seconds: now - fault.since, why: fault.why)
    }

    /// A statement succeeded that changed something. While results are refused, no other change says that all is well: a
    /// disk that is nearly full takes a claim and no result.
    mutating func wrote(by writer: Writer, began: Double, now: Double) -> [Ended] {
        var ended = [answered(began: began, now: now)].compactMap(\.self)
        if let fault = refusal, began >= fault.at, writer == .recorder || !refused.contains(.recorder) {
            refusal = nil
            refused = []
            ended.append(Ended(kind: .refusal, seconds: now - fault.since, why: fault.why))
        }
        return ended
    }

    /// This writer has nothing to write any more. When that holds for all whose changes were refused, it is unknown
    /// whether the database takes changes again, and it does not matter.
    mutating func hasNothing(_ writer: Writer) {
        guard refused.remove(writer) != nil, refused.isEmpty else { return }
        refusal = nil
    }

    /// What lasts, in words, and for how many seconds; nil: nothing.
    func current(now: Double) -> (words: String, seconds: Double)? {
        guard let fault = refusal ?? silence else {
            return lock.map { lock in
                let seconds = max(0, now - lock.since)
                return ("waits for a lock for \(Int(seconds)) s: \(lock.words)", seconds)
            }
        }
        let seconds = max(0, now - fault.since)
        let what = refusal == nil ? "the database has not answered" : "cannot write to the database"
        return ("\(what) for \(Int(seconds)) s: \(fault.why)", seconds)
    }
}

extension DatabaseError {
    /// Whether nobody answers, or no session begins or goes on: connections (class 08), the end of sessions (57P), too
    /// many of them (53300). Without a code the client saw that the connection had broken.
    fileprivate var meansSilence: Bool {
        guard let sqlState else { return isTransient }
        return sqlState.hasPrefix("08") || sqlState.hasPrefix("57P") || sqlState == "53300"
    }
}
