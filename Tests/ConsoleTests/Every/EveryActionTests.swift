import HTTPServer
import HTTPTypes
import Pages
import Postgres
import Store
import TestSupport
import Testing

@testable import Console

/// What holds for every action of the console, and for every button that leads to one.
@Suite(.serialized, .timeLimit(.minutes(10))) struct EveryActionTests {
    /// Shared: no test of this suite changes it.
    private static let untouched = Task { try await EveryPage.bench() }

    /// An action was open to people who may only read (oban_web 2.12.5).
    @Test func noActionIsOpenToWhoLacksItsRight() async throws {
        let bench = try await Self.untouched.value
        var options = ConsoleOptions()
        options.isReadOnly = true
        let reading = bench.bench.console(options: options)
        for action in ActionBook.all {
            #expect(!action.rights.isEmpty && !action.rights.contains(.look), "\(action.name)")
            let others = Set(Right.allCases).subtracting(action.rights)
            let refused = try #require(try await bench.bench.console(others).post("/act/\(action.name)", [:]))
            #expect(refused.status == 403, "\(action.name) by \(others)")
            #expect(try await reading.post("/act/\(action.name)", [:])?.status == 403, "\(action.name), read only")
            for right in action.rights {
                let asked = try await bench.bench.console([right]).post("/act/\(action.name)", [:])
                #expect(asked?.status == 422, "\(action.name) by \(right)")
            }
        }
    }

    @Test func whoMayOnlyReadSeesNoButton() async throws {
        let bench = try await Self.untouched.value
        var options = ConsoleOptions()
        options.isReadOnly = true
        for console in [bench.bench.console(options: options), bench.bench.console([.look])] {
            for address in EveryPage.addresses {
                let page = try await console.page(address)
                #expect(!page.contains("/act/") && !page.contains("value=\"save\""), "\(address)")
            }
        }
    }

    /// A button did nothing (good_job #1624), and a confirmation was skipped by a live update (sidekiq #6768): each leads to a
    /// question that can be confirmed, or to a field that it needs, and nobody's script exchanges that.
    @Test func everyButtonLeadsToAQuestionThatStays() async throws {
        let bench = try await Self.untouched.value
        let console = bench.bench.console()
        var seen: Set<String> = []
        for address in EveryPage.addresses {
            let page = try await console.whole(address)
            for button in page.matches(of: /formaction="\/act\/([a-z-]+)"/) {
                #expect(ActionBook.action(named: String(button.1)) != nil, "\(button.0)")
                seen.insert(String(button.1))
            }
            for form in SeenForm.all(in: page) where seen.insert(form.address + "\(form.fields)").inserted {
                let question = try await console.press(form)
                let isAsked = question.status == 200 && question.form != nil
                #expect(isAsked || question.status == 422, "\(address): \(form.address) \(question.page)")
                #expect(
                    !question.page.contains("data-live") && !question.page.contains("data-part=\"question"),
                    "\(form.address)")
            }
        }
        #expect(seen.count > 20, "\(seen)")
        #expect(try await bench.test.texts("SELECT DISTINCT person FROM push.audit WHERE person = 'Ann'") == [])
    }

    /// A schedule text allocated gigabytes (oban_web 2.12.5).
    @Test(arguments: [
        "*/1 0-4294967295 * * *", "0-59/1,0-59/1 * * * 0-99999999999", "every 1000000000000000000000000000000 days",
        "1" + String(repeating: "0", count: 10_000) + "st 08:00", String(repeating: "0,", count: 2_000) + "0 * * * *",
        "0 8 30 2 *",
    ])
    func aScheduleThatIsEndlessIsReadInNoTime(text: String) async throws {
        let console = try await Self.untouched.value.bench.console()
        let asked = try await console.ask(
            "schedule-campaign", [("campaign", "spring"), ("schedule", text), ("zone", "UTC")])
        #expect(
            asked.status == 422 || asked.page.contains("never") || asked.page.contains("name=\"confirmation\""),
            "\(asked.page)")
    }

    /// A start time was ignored, and the job ran at once (oban_web 2.12.6): what cannot be read is refused, and a run that is
    /// started now takes no time at all.
    @Test(arguments: ["tomorrow-ish", "25:61", "2027-13-45T08:00", "", "now"])
    func aStartTimeThatCannotBeReadStartsNothing(text: String) async throws {
        let console = try await Self.untouched.value.bench.console()
        for (action, field) in [("schedule-campaign", "schedule"), ("schedule-once", "at")] {
            let asked = try await console.ask(action, [("campaign", "spring"), (field, text), ("zone", "UTC")])
            #expect(asked.status == 422 && !asked.page.contains("name=\"confirmation\""), "\(asked.page)")
        }
        let run = SeenForm.all(in: try await console.page("/campaigns/spring")).first {
            $0.address == "/act/run-campaign"
        }
        #expect(try #require(run).text.contains("name=\"at\"") == false)
    }

    /// Names with `/` led to other pages (oban_web 2.12.4).
    @Test func aNameWithASlashStaysOneNameInEveryAddress() async throws {
        let bench = try await Self.untouched.value
        let page = try await bench.bench.console().page("/campaigns")
        let address = try #require(page.firstMatch(of: /href="(\/campaigns\/spring\/runs\/[^"]*)"/)).1
        #expect(address.lowercased() == RunBench.address)
        #expect(try await bench.bench.console().get(String(address))?.status == 200)
        #expect(try await bench.bench.console().get("/campaigns/spring/runs/2027/03?%25<b>")?.status == 404)
    }
}
