import Postgres

/// What a page that could not be expanded means for its run. Pure.
enum PageFault: Equatable {
    /// Somebody paused or cancelled the run: nothing is wrong.
    case stopped
    /// Its view marks the error as transient, with these words.
    case passes(String)
    /// The database has trouble, and so have all streams.
    case outage
    /// A person has to fix its audience, for this reason.
    case pause(String)

    /// - Parameters:
    ///   - seconds: those that a page may take.
    ///   - isStuck: its session was ended because nothing else ended the page. libpq says only that it is lost.
    init(_ error: DatabaseError, seconds: Int, isStuck: Bool) {
        let unreadable = "its audience cannot be read: \(error.why)"
        self =
            if error.is(.serializationFailure) {
                .stopped
            } else if error.is(.externalRoutineException) {
                .passes(unreadable)
            } else if error.is(.queryCancelled) {
                .pause(
                    "a page of its audience took longer than \(seconds) s; fanfare campaign check says whether an index "
                        + "is missing")
            } else if isStuck, error.isTransient {
                .pause(
                    "a page of its audience took longer than \(2 * seconds) s, and code of its view kept it from being "
                        + "cancelled")
            } else if error.isTransient {
                .outage
            } else {
                .pause(unreadable)
            }
    }
}
