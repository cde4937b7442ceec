import Pages
import Postgres
import Synchronization
import Testing

@testable import Console

@Suite struct ActionDeskTests {
    /// An action whose steps a test answers. The database is never asked.
    private struct Scripted: ConsoleAction {
        static let name = "scripted"
        static let rights = [Right.operate]

        let steps: @Sendable (String?) async throws(DatabaseError) -> ActionStep

        init(_ steps: @escaping @Sendable (String?) async throws(DatabaseError) -> ActionStep) { self.steps = steps }

        init(_ fields: FormFields) throws(FieldProblem) { throw FieldProblem(field: "", words: "not from a form") }

        var fields: [(name: String, value: String)] { [] }

        func question(_ reader: PageReader) async -> Question { Question(title: "Scripted?", verb: "Do it") }

        func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
            try await steps(mark)
        }
    }

    private let desk = ActionDesk(Looks { 100 }) { 100 }
    private let database = Database(DatabaseSettings(url: "host=/nowhere connect_timeout=1"))

    private func begin(
        _ id: String, _ steps: @escaping @Sendable (String?) async throws(DatabaseError) -> ActionStep
    ) async -> Bool {
        await desk.begin(Scripted(steps), titled: "Scripted", by: "Ann", id: id, on: database)
    }

    private func ended(_ id: String) async -> ActionRecord? {
        await desk.waitForEnd(of: id, atMost: 600)
        return await desk.record(id)
    }

    @Test func stepsGoOnUntilNothingIsLeft() async {
        _ = await begin("a") { mark in
            let step = mark.flatMap(Int.init) ?? 0
            return ActionStep(changed: 1_000, next: step < 9 ? "\(step + 1)" : nil)
        }
        let record = await ended("a")
        #expect(record?.changed == 10_000 && record?.state == .done && record?.ended == 100)
    }

    @Test func moreThanFourAtOnceAreRefused() async {
        let (gate, opened) = AsyncStream<Void>.makeStream()
        for number in 0..<ActionDesk.atOnce {
            #expect(
                await begin("\(number)") { _ in
                    for await _ in gate {}
                    return ActionStep()
                })
        }
        #expect(await !begin("one too many") { _ in ActionStep() })
        #expect(await begin("0") { _ in ActionStep() }, "the same one is under way already")
        opened.finish()
        for number in 0..<ActionDesk.atOnce { #expect(await ended("\(number)")?.state == .done) }
        #expect(await begin("later") { _ in ActionStep() })
    }

    @Test func aStopEndsItAfterTheStepThatIsUnderWay() async {
        let desk = desk
        _ = await begin("a") { _ in
            await desk.stop("a")
            return ActionStep(changed: 7, next: "more")
        }
        let record = await ended("a")
        #expect(record?.state == .stopped && record?.changed == 7)
    }

    @Test func whatTheDatabaseRefusesIsKept() async {
        _ = await begin("a") { _ throws(DatabaseError) in
            var error = DatabaseError(doing: "retry messages", sqlState: "55000", message: "one was erased")
            error.hint = "Leave it out."
            throw error
        }
        #expect(await ended("a")?.state == .failed(words: "one was erased", hint: "Leave it out."))
    }

    @Test func aBatchGoesOnWhenTheDatabaseIsBack() async {
        let tries = Mutex(0)
        _ = await begin("a") { mark throws(DatabaseError) in
            guard mark != nil else { return ActionStep(next: "1") }
            if tries.withLock({
                $0 += 1; return $0
            }) < 3 {
                throw DatabaseError(doing: "retry", sqlState: "57P01", message: "the server stops")
            }
            return ActionStep()
        }
        let record = await ended("a")
        #expect(record?.state == .done && record?.changed == 2)
    }

    @Test func aFirstStepThatMayHaveHappenedIsNotRepeated() async {
        _ = await begin("a") { _ throws(DatabaseError) in
            throw DatabaseError(doing: "pause", sqlState: "57P01", message: "the server stops")
        }
        #expect(await ended("a")?.state == .failed(words: "the server stops", hint: nil))
    }

    @Test func whatIsOverIsForgottenFirst() async {
        for number in 0...ActionDesk.remembered {
            _ = await begin("\(number)") { _ in ActionStep() }
            _ = await ended("\(number)")
        }
        #expect(await desk.record("0") == nil)
        #expect(await desk.all().count == ActionDesk.remembered)
        #expect(await desk.all().first?.id == "\(ActionDesk.remembered)")
    }
}
