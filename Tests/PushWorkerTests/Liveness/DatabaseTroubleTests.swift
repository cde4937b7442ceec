import Postgres
import Testing

@testable import PushWorker

@Suite struct DatabaseTroubleTests {
    private let broken = DatabaseError(doing: "look", message: "server closed the connection", isTransient: true)
    private let full = DatabaseError(doing: "record results", sqlState: "53100", message: "No space left on device")

    @Test func aServerThatAnswersAgainWasAwayForSoLong() {
        var trouble = DatabaseTrouble()
        trouble.failed(broken, now: 100)
        trouble.failed(DatabaseError(doing: "connect", sqlState: "57P03", message: "starting up"), now: 108)
        #expect(trouble.current(now: 110)?.words.hasPrefix("the database has not answered for 10 s: server") == true)
        let ended = trouble.answered(began: 113, now: 114)
        #expect(ended == .init(kind: .silence, seconds: 14, why: "server closed the connection"))
        #expect(trouble.current(now: 114) == nil)
        #expect(trouble.answered(began: 115, now: 116) == nil)
    }

    /// It was sent before, over a session that went on for a moment.
    @Test func aStatementThatBeganBeforeTheLastFailureSaysNothing() {
        var trouble = DatabaseTrouble()
        trouble.failed(broken, by: .lane(1), now: 100)
        #expect(trouble.answered(began: 99, now: 101) == nil)
        #expect(trouble.wrote(by: .lane(1), began: 99, now: 101) == [])
        #expect(trouble.wrote(by: .lane(2), began: 102, now: 103).map(\.seconds) == [3])
    }

    /// With a full disk every statement that only reads succeeds.
    @Test func onlyAChangeEndsARefusalOfChanges() {
        var trouble = DatabaseTrouble()
        trouble.failed(full, by: .recorder, now: 100)
        #expect(trouble.answered(began: 105, now: 105) == nil)
        #expect(
            trouble.current(now: 114)?.words == "cannot write to the database for 14 s: 53100 No space left on device")
        #expect(trouble.current(now: 114)?.seconds == 14)
        #expect(trouble.wrote(by: .lane(0), began: 118, now: 119) == [])
        #expect(
            trouble.wrote(by: .recorder, began: 120, now: 121) == [.init(kind: .refusal, seconds: 21, why: full.why)])
        #expect(trouble.current(now: 121) == nil)
    }

    @Test func aStatementThatChangesNothingSaysNothingAboutChanges() {
        var trouble = DatabaseTrouble()
        trouble.failed(DatabaseError(doing: "look", sqlState: "57014", message: "timeout"), now: 100)
        #expect(trouble.current(now: 101) == nil)
    }

    /// What could not be written was cancelled: nobody tries any more, and nothing is in the way.
    @Test func aRefusalEndsWhenNobodyHasAnythingToWrite() {
        var trouble = DatabaseTrouble()
        trouble.failed(full, by: .lane(0), now: 100)
        trouble.failed(full, by: .lane(1), now: 100)
        trouble.hasNothing(.lane(2))
        trouble.hasNothing(.lane(0))
        #expect(trouble.current(now: 101) != nil)
        trouble.hasNothing(.lane(1))
        #expect(trouble.current(now: 101) == nil)
    }
}
