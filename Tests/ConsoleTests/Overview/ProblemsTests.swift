import PushModel
import Testing

@testable import Console
@testable import Store

private typealias Fixture = OverviewFixture

/// What is said to be wrong, and how bad it is.
@Suite struct ProblemsTests {
    @Test func whereAllIsWellNothingIsWrong() { #expect(Fixture.problems(Fixture.rows()) == []) }

    @Test(arguments: [
        ("held", Problem.Kind.held, Problem.Severity.critical), ("failing", .failing, .critical),
        ("gate closed", .gateClosed, .warning), ("no pass", .noPass, .critical), ("paused", .paused, .decision),
        ("upside down", .failing, .warning),
    ])
    func aHubThatTakesNoPostsIsAProblem(state: String, kind: Problem.Kind, severity: Problem.Severity) throws {
        let hub = Fixture.hub { ($0.state, $0.why, $0.since) = (state, "401: the key", Fixture.ago(90)) }
        let problem = try #require(Fixture.problems(of: hub).first)
        #expect((problem.kind, problem.severity) == (kind, severity))
        #expect(problem.why == "401: the key" && problem.link == .hub("news") && problem.hub == "news")
        #expect(problem.since == (kind == .noPass ? nil : Fixture.now - 90))
        #expect(!problem.todo.isEmpty)
    }

    @Test func aPausedHubWhoseMessagesWaitIsAWarning() {
        let problems = Fixture.problems(of: Fixture.hub { $0.state = "paused" }) {
            $0.pulse = .read(Fixture.pulse([Fixture.lane(due: 10_000, more: true, waiting: 9_000)]))
        }
        #expect(problems.map(\.kind) == [.paused] && problems.map(\.severity) == [.warning])
        #expect(problems.map(\.why) == ["no reason given; 10,000+ messages due"])
    }

    @Test func aHubThatSomePostsReachIsOnlyAWarning() {
        let problems = Fixture.problems(of: Fixture.hub { $0.state = "failing" }) {
            $0.minutes = .read([
                MinuteCounts(hub: "news", latest: OverviewFixture.now, minutes: [3: .init(accepted: 1)])
            ])
        }
        #expect(problems.map(\.severity) == [.warning])
    }

    @Test func aClosedGateSaysWhenItOpens() {
        let hub = Fixture.hub { ($0.state, $0.gateUntil) = ("gate closed", "2027-01-15T08:01:00.123Z") }
        #expect(
            Fixture.problems(of: hub).map(\.todo) == [
                "It opens by itself; sooner with: fanfare hub open-gate news (by itself at 2027-01-15T08:01:00Z)"
            ])
    }

    @Test func messagesOfAHubThatNobodyServesAreCriticalWhereOthersAreServed() {
        let hub = Fixture.hub { ($0.workers, $0.unservedSince) = (0, Fixture.ago(60)) }
        #expect(Fixture.problems(of: hub) == [], "nothing waits for it")
        func severity(due: Int64, later: Int64 = 0, isAlive: Bool = true, waiting: Double = 1) -> Problem.Severity? {
            Fixture.problems(of: hub) {
                $0.workers = .read([Fixture.worker { $0.alive = isAlive }])
                $0.pulse = .read(
                    Fixture.pulse([Fixture.lane(due: due, later: later, waiting: due > 0 ? waiting : nil)]))
            }.first { $0.kind == .unserved }?.severity
        }
        #expect(severity(due: 1) == .critical)
        #expect(severity(due: 0, later: 1) == .warning)
        #expect(severity(due: 1, isAlive: false) == .warning, "the next drain may be about to begin")
        #expect(severity(due: 1, isAlive: false, waiting: 301) == .critical)
    }

    @Test(arguments: [
        (1, 300.0, Problem.Kind?.none), (1, 301, .messagesWait), (2, 301, .messagesWait), (0, 30, nil),
        (0, 31, .urgentWaits),
    ])
    func messagesThatAreDueForTooLongAreAProblem(priority: Int, waiting: Double, kind: Problem.Kind?) {
        let lane = Fixture.lane(priority: priority, due: 9, waiting: waiting)
        let problems = Fixture.problems(Fixture.rows { $0.pulse = .read(Fixture.pulse([lane])) })
        #expect(problems.map(\.kind) == [kind].compactMap(\.self))
        #expect(problems.map(\.severity) == (kind == nil ? [] : [.critical]))
        #expect(problems.first.map { $0.since == Fixture.now - waiting } ?? true)
    }

    @Test func whatWaitsBehindAPausedHubIsSaidOnce() {
        let problems = Fixture.problems(of: Fixture.hub { $0.state = "held" }) {
            $0.pulse = .read(
                Fixture.pulse([Fixture.lane(due: 9, waiting: 900), Fixture.lane(priority: 0, due: 1, waiting: 900)]))
        }
        #expect(problems.map(\.kind) == [.held])
    }

    @Test func aLongBacklogThatMovesIsToldFromOneThatStands() {
        func todo(ended: Int64) -> String? {
            Fixture.problems(
                Fixture.rows {
                    $0.pulse = .read(Fixture.pulse([Fixture.lane(due: 9, waiting: 301)]))
                    $0.minutes = .read([
                        MinuteCounts(hub: "news", latest: OverviewFixture.now, minutes: [1: .init(accepted: ended)])
                    ])
                }
            ).first?.todo
        }
        #expect(todo(ended: 5)?.hasPrefix("It is a long backlog") == true)
        #expect(todo(ended: 0)?.hasPrefix("See the log of its workers") == true)
    }

    @Test(arguments: [
        // Two of a hundred are not more than 2 %; of nineteen a share says nothing.
        (98, 2, Problem.Severity?.none), (97, 3, .warning), (18, 1, nil), (19, 1, .warning), (10, 10, .critical),
    ])
    func moreThanTwoPercentRejectedIsAProblem(accepted: Int64, rejected: Int64, severity: Problem.Severity?) {
        let minutes = [4: MinuteCounts.Minute(accepted: accepted, rejected: rejected)]
        let problems = Fixture.problems(
            Fixture.rows {
                $0.minutes = .read([MinuteCounts(hub: "news", latest: OverviewFixture.now, minutes: minutes)])
            })
        #expect(problems.map(\.severity) == [severity].compactMap(\.self))
        #expect(problems.allSatisfy { $0.kind == .rejected && $0.link == .failures(of: "news") })
    }

    @Test func failuresOfAnHourAgoAreNoWarning() {
        let minutes = [11: MinuteCounts.Minute(accepted: 90, rejected: 10)]
        #expect(
            Fixture.problems(
                Fixture.rows {
                    $0.minutes = .read([MinuteCounts(hub: "news", latest: OverviewFixture.now, minutes: minutes)])
                }) == [])
    }

    @Test func doubtsAreSaidByHub() {
        let rows = Fixture.rows {
            $0.pulse = .read(
                Fixture.pulse {
                    $0.inDoubt = [.init(hub: "news", messages: 1), .init(hub: "shop", messages: 2_000)]
                    $0.moreInDoubt = true
                })
        }
        #expect(
            Fixture.problems(rows).map(\.what) == [
                "1+ messages of hub news in doubt", "2,000+ messages of hub shop in doubt",
            ])
    }

    @Test func withoutAWorkerIsCriticalOnlyWhenSomethingIsDue() {
        func severity(_ lanes: [DatabasePulse.Lane]) -> Problem.Severity? {
            Fixture.problems(
                Fixture.rows {
                    $0.workers = .read([])
                    $0.pulse = .read(Fixture.pulse(lanes))
                }
            ).first { $0.kind == .noWorker }?.severity
        }
        #expect(severity([]) == .warning)
        #expect(severity([Fixture.lane(due: 1, waiting: 1)]) == .critical)
    }

    @Test(arguments: [(59.0, Problem.Severity.warning), (61, .critical)])
    func aSilentWorkerThatNobodyRescuesIsCritical(seconds: Double, severity: Problem.Severity) {
        let silent = Fixture.worker("there/2") { ($0.alive, $0.beatAt) = (false, Fixture.ago(seconds)) }
        let problems = Fixture.problems(Fixture.rows { $0.workers = .read([Fixture.worker(), silent]) })
        #expect(problems.map(\.what) == ["Worker there/2 is silent"] && problems.map(\.severity) == [severity])
        #expect(problems.map(\.why) == ["it holds 1,200 messages"])
    }

    @Test func aWorkerThatCannotWriteIsCritical() {
        let troubled = Fixture.worker { $0.trouble = "cannot write for 14 s: 53100" }
        let problems = Fixture.problems(Fixture.rows { $0.workers = .read([troubled]) })
        #expect(problems.map(\.kind) == [.workerTrouble] && problems.map(\.severity) == [.critical])
        // A dead one said that long ago.
        let dead = Fixture.worker { ($0.trouble, $0.alive) = ("cannot write", false) }
        #expect(
            !Fixture.problems(Fixture.rows { $0.workers = .read([Fixture.worker(), dead]) }).contains {
                $0.kind == .workerTrouble
            })
    }

    @Test func differingSettingsAreAWarning() {
        #expect(Fixture.problems(of: Fixture.hub { $0.differing = "there/2" }).map(\.kind) == [.differing])
    }

    @Test(arguments: [(60.0, false), (61, true), (-61, true)])
    func aClockThatIsAMinuteOffIsAProblem(skew: Double, isWrong: Bool) {
        #expect(Fixture.problems(of: Fixture.hub { $0.skew = skew }).map(\.kind) == (isWrong ? [.clock] : []))
    }

    @Test func aTokenThatIsInUseAndEndsIsCritical() {
        func kinds(_ left: Double, _ change: (inout SystemStatus.Hub) -> Void = { _ in }) -> [Problem.Kind] {
            Fixture.problems(
                of: Fixture.hub {
                    $0.tokenExpiresAt = Fixture.ago(-left)
                    change(&$0)
                }
            ).map(\.kind)
        }
        #expect(kinds(59) == [.token] && kinds(-10) == [.token] && kinds(61) == [])
        #expect(kinds(59) { ($0.inFlight, $0.answersPerSecond) = (0, 0) } == [], "a hub without posts needs no token")
        #expect(kinds(29 * 86_400) == [])
        #expect(kinds(29 * 86_400) { $0.kind = "apns" } == [.certificate])
        #expect(kinds(31 * 86_400) { $0.kind = "apns" } == [] && kinds(3_600) { $0.kind = "apns" } == [])
    }

    @Test func aRunThatPausedItselfIsAProblemAndOneThatSomebodyPausedIsNot() {
        func kinds(_ why: String?) -> [Problem.Kind] {
            Fixture.problems(Fixture.rows { $0.runs = .read([Fixture.run { ($0.state, $0.why) = (.paused, why) }]) })
                .map(\.kind)
        }
        #expect(kinds("stopped itself: too much failed") == [.runPaused] && kinds(nil) == [.runPaused])
        #expect(kinds("paused by anna: a typo") == [])
    }

    @Test func runsThatThePageDoesNotListAreCounted() {
        let rows = Fixture.rows {
            $0.runs = .read(Array(repeating: Fixture.run(), count: Int(OverviewRows.mostRuns)))
            $0.pulse = .read(Fixture.pulse { $0.runsPausedByThemselves = 2 })
        }
        #expect(Fixture.problems(rows).map(\.what) == ["2 older runs paused by themselves"])
    }

    @Test func aRunWithoutAWorkerAndOneThatCameToNothingAreProblems() {
        let rows = Fixture.rows {
            $0.runs = .read([Fixture.run { $0.unserved = ["shop"] }])
            $0.failedRuns = .read([
                .init(campaign: "winter", key: "k", why: "nothing could be sent", endedAt: Fixture.ago(9))
            ])
        }
        #expect(Fixture.problems(rows).map(\.kind) == [.runUnserved, .runFailed])
    }

    @Test func aScheduleThatSomebodyPausedIsNoProblem() {
        func kinds(_ why: String, pausedAt: String?) -> [String] {
            Fixture.problems(
                Fixture.rows { $0.schedules = .read([.init(campaign: "spring", why: why, pausedAt: pausedAt)]) }
            ).map(\.todo)
        }
        #expect(kinds("paused by anna", pausedAt: Fixture.ago(9)) == [])
        #expect(
            kinds("paused itself: half failed", pausedAt: Fixture.ago(9)).first?.contains("schedule resume") == true)
        #expect(kinds("run \"x\" was missed", pausedAt: nil).first?.contains("schedule show") == true)
    }

    @Test func whatWaitsForMyApprovalIsToldFromWhatIMade() {
        func what(by: String, asks: String = "two", standing: String? = "not approved") -> [String] {
            let revision = CampaignStore.Unapproved(
                campaign: "spring", revision: 4, by: by, at: Fixture.ago(60), asks: asks, standing: standing)
            return Fixture.problems(Fixture.rows { $0.approvals = .read([revision]) }).map(\.what)
        }
        #expect(what(by: "bert") == ["Campaign spring waits for your approval"])
        #expect(what(by: "Ann") == ["Campaign spring waits for another person's approval"])
        #expect(what(by: "Ann", asks: "one") == ["Campaign spring waits for your approval"])
        #expect(what(by: "bert", standing: "rejected by carl: no") == [], "it waits for its owner")
    }

    /// To its page, where the console has one and the person may see it; nowhere else.
    @Test(arguments: ["spring", "a/b <c>"]) func whatWaitsForMyApprovalLeadsToItsCampaign(name: String) throws {
        let revision = CampaignStore.Unapproved(
            campaign: name, revision: 4, by: "bert", at: Fixture.ago(60), asks: "two", standing: nil)
        let problem = try #require(Fixture.problems(Fixture.rows { $0.approvals = .read([revision]) }).first)
        let visit = Visit(person: Person("Ann", rights: [.approve]), options: ConsoleOptions(), now: Fixture.now)
        let view = ProblemView(problem, for: visit)
        #expect(
            view.problemAddress == visit.existing(["campaigns", name]) ?? "" && view.problemLink == "Campaign \(name)")
    }

    @Test func whoApprovesNothingSeesHowManyWait() {
        let rows = Fixture.rows { $0.pulse = .read(Fixture.pulse { $0.campaignsUnapproved = 3 }) }
        #expect(Fixture.problems(rows).map(\.what) == ["3 campaigns wait for an approval"])
    }

    @Test func findingsOfTheDatabaseAreProblemsWithTheirRemedies() {
        let holder = SnapshotHolder(
            kind: "session", holder: "4711", role: "report", seconds: 4_000,
            remedy: "SELECT pg_terminate_backend(4711)",
            since: Fixture.ago(4_000))
        let hidden = SnapshotHolder(kind: "hidden", holder: "3", remedy: "GRANT")
        let rows = Fixture.rows {
            $0.findings = .read([DatabaseFindings.partitions(["push.result"]), DatabaseFindings.locks([])])
            $0.snapshots = .read([holder, hidden])
            $0.pulse = .read(Fixture.pulse { $0.defaultRows = 1 })
            $0.server = .read([.fail("database", "autovacuum", "is off", remedy: "Switch it on.")])
        }
        let problems = Fixture.problems(rows)
        #expect(problems.map(\.kind) == [.database, .snapshot, .defaultPartition, .database])
        #expect(problems.map(\.severity) == [.critical, .warning, .warning, .warning])
        #expect(problems[1].since == Fixture.now - 4_000 && problems[1].todo.contains("pg_terminate_backend(4711)"))
    }

    @Test func aStandbyIsSaidToBeOne() {
        let facts = ServerFacts(
            version: "15.1", versionNumber: 150_001, role: "push_monitor", isStandby: true, isReadOnly: false,
            autovacuum: true, fsync: true, synchronousCommit: "on", clock: ClockDifference(seconds: 0, error: 0),
            isPooled: false)
        let problems = Fixture.problems(Fixture.rows { $0.server = .read(ServerFindings.of(facts)) })
        #expect(problems.map(\.why) == ["this server is a standby"])
    }

    @Test func workersThatCannotCountTheBacklogAreAProblem() {
        var pulse = Fixture.pulse()
        pulse.workersTookAt = Fixture.now - 121
        #expect(Fixture.problems(Fixture.rows { $0.pulse = .read(pulse) }).map(\.kind) == [.pulse])
        pulse.workersTookAt = nil
        #expect(Fixture.problems(Fixture.rows { $0.pulse = .read(pulse) }) == [], "they have just begun")
    }

    @Test func aSchemaThatIsNotOursIsSaid() {
        func severity(_ standing: Schema.Standing) -> [Problem.Severity] {
            Fixture.problems(Fixture.rows { $0.schema = .read(standing) }).map(\.severity)
        }
        #expect(severity(.older(has: 1, needs: 2)) == [.critical] && severity(.absent) == [.critical])
        #expect(severity(.newer(has: 3, knows: 2, worksFrom: 1)) == [.warning])
        #expect(severity(.tooNew(has: 3, knows: 2, worksFrom: 3)) == [.critical])
    }

    @Test func aDatabaseThatIsAwayIsTheFirstProblem() {
        let away = Trouble("hubs", .away, "connection refused")
        let rows = Fixture.rows {
            $0.hubs = .unread(away)
            $0.workers = .read([])
        }
        #expect(Fixture.problems(rows).first?.kind == .databaseAway)
    }

    @Test func theWorstComesFirstAndTheOldestOfAKind() {
        let hubs = [
            Fixture.hub("a") { ($0.state, $0.since) = ("paused", Fixture.ago(1)) },
            Fixture.hub("b") { ($0.state, $0.since) = ("held", Fixture.ago(10)) },
            Fixture.hub("c") { ($0.state, $0.since) = ("held", Fixture.ago(100)) },
            Fixture.hub("d") { ($0.state, $0.since) = ("gate closed", Fixture.ago(1_000)) },
        ]
        #expect(Fixture.problems(Fixture.rows { $0.hubs = .read(hubs) }).map(\.hub) == ["c", "b", "d", "a"])
    }

    @Test func threeHundredHubsAreNotThreeHundredLines() throws {
        let hubs = (1...300).map { number in Fixture.hub("hub-\(number)") { $0.state = "held" } }
        let folded = Problems.folded(
            Fixture.problems(
                Fixture.rows {
                    $0.hubs = .read(hubs)
                    $0.workers = .read([Fixture.worker { $0.trouble = "the disk is full" }])
                }))
        #expect(folded.count == 1 + Problems.shownOfAKind + 1)
        #expect(folded.first?.kind == .workerTrouble)
        let rest = try #require(folded.last)
        #expect(rest.what == "292 more: hubs that are held" && rest.why.hasSuffix(", …"))
        #expect(rest.link == .init(path: [], fields: ["all": "1"], name: "All hubs"))
    }
}
