import HTTPServer
import Pages
import Store
import TestSupport
import Testing

@testable import Console

/// The rescue of what a dead worker holds, from the button beside it.
@Suite(.timeLimit(.minutes(10))) struct RescueWorkerActionTests {
    private func bench(_ name: String) async throws -> ConsoleBench {
        let bench = try await ConsoleBench.make()
        try await bench.beat("there/2")
        try await bench.beat(name)
        try await bench.test.database.script(
            "UPDATE push.worker SET beat_at = now() - interval '5 min' WHERE name <> 'there/2'")
        return bench
    }

    private func forms(_ console: TestConsole) async throws -> [SeenForm] {
        SeenForm.all(in: try await console.page("/")).filter { $0.address == "/act/rescue-worker" }
    }

    @Test func aDeadWorkerIsRescuedAndALivingOneHasNoButton() async throws {
        let name = "host<b>/1"
        let bench = try await bench(name)
        #expect(try await forms(bench.console([.look])).isEmpty)
        let console = bench.console([.look, .operate])
        let form = try #require(try await forms(console).first)
        #expect(try await forms(console).count == 1 && form.fields.contains { $0 == ("worker", name) })
        let question = try await console.press(form)
        #expect(question.page.contains("Rescue what worker host&lt;b&gt;/1 holds?"))
        #expect(question.page.contains("Its last heartbeat was 5 min ago. It holds 0 messages in 0 claims."))
        #expect(try await console.carryOut(question).state == .done)
        #expect(try await bench.test.texts("SELECT name FROM push.workers") == ["there/2"])
        #expect(try await bench.test.texts("SELECT person FROM push.audit WHERE action = 'rescue'") == ["Ann"])
        #expect(try await console.press(form).page.contains("This worker is gone"))
    }

    @Test func oneThatBeatsAgainIsLeftAlone() async throws {
        let bench = try await bench("host/1")
        let console = bench.console([.look, .operate])
        let question = try await console.press(try #require(try await forms(console).first))
        try await bench.test.database.script("UPDATE push.worker SET beat_at = now()")
        let late = try SeenQuestion(try await console.confirm(question))
        #expect(late.form == nil && late.page.contains("It beats again"))
        #expect(try await bench.test.number("SELECT count(*) FROM push.workers") == 2)
    }

    @Test(arguments: ["", "number=1", "number=x&worker=host%2F1", "number=-1&worker=a", "number=99999999999&worker=a"])
    func whatNamesNoWorkerIsRefused(text: String) {
        #expect(throws: FieldProblem.self) { try RescueWorkerAction(FormFields(text[...])) }
    }

    @Test func manyMessagesAreConfirmedByTheName() throws {
        var worker = OverviewFixture.worker("host/1") { $0.alive = false }
        #expect(RescueWorkerAction(worker).question(about: worker).typed == "host/1")
        worker.messages = 1_000
        #expect(RescueWorkerAction(worker).question(about: worker).typed == nil)
    }

    @Test func theServerAsksForTheRight() async throws {
        let response = try await ConsoleBench.make().console([.look]).post(
            "/act/rescue-worker", ["number": "1", "worker": "host/1"])
        #expect(response?.status == 403)
    }
}
