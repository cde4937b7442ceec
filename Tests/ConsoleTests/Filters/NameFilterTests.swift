import Pages
import Testing

@testable import Console

/// Filters of a list by name.
@Suite struct NameFilterTests {
    private func form(_ query: String) -> (form: FilterForm, archived: String?, after: String?) {
        var form = FilterForm(FormFields(query[...]))
        let archived = form.choice("archived", "Archived", of: ["without", "with"], initial: "without")
        let after = form.after()
        form.end()
        return (form, archived, after)
    }

    @Test func aChoiceWithAnInitialValueIsNeverOpen() {
        #expect(form("").archived == "without" && form("archived=").archived == "without")
        #expect(form("archived=with").archived == "with")
        let view = FilterFormView(form("").form, address: "/campaigns")
        #expect(view.filterFields.map(\.isOptional) == [false])
        #expect(view.filterFields.first?.filterChoices.map(\.isChosen) == [true, false])
        let wrong = form("archived=maybe")
        #expect(wrong.archived == nil && !wrong.form.isReadable && wrong.form.fields.map(\.text) == ["maybe"])
    }

    @Test func aPageBeginsBehindAName() {
        let (form, _, after) = form("after=it%27s+%26")
        #expect(after == "it's &" && form.isReadable)
        let address = ConsoleAddress.text(base: "", ["campaigns"], form.query(after: "b&c"))
        #expect(address == "/campaigns?archived=without&after=b%26c")
        #expect(form.query(after: nil).allSatisfy { $0.0 != "after" || $0.1 == nil })
    }

    @Test(arguments: ["after=%00", "after=" + String(repeating: "x", count: 1_001)])
    func whatNoNameIsIsAProblem(query: String) {
        let (form, _, after) = form(query)
        #expect(after == nil && !form.isReadable && form.problems.first?.hasPrefix("after: ") == true)
    }
}
