import Pages
import Store
import Testing

@testable import Console

@Suite struct FilterFormTests {
    private struct Read {
        var form: FilterForm
        var device: String?
        var status: String?
        var since: MessageSearch.Time?
        var before: Int64?

        init(_ query: String) {
            form = FilterForm(FormFields(query[...]))
            device = form.text("device", "Installation id")
            status = form.choice("status", "Status", of: ["waiting", "refused"])
            since = form.time("since", "Since", initial: "7d")
            before = form.before()
            form.end()
        }
    }

    @Test func whatIsAskedForIsRead() {
        let read = Read("device=+phone%2F17+&status=refused&since=2h&before=12")
        #expect(read.form.isReadable)
        #expect(read.device == "phone/17" && read.status == "refused" && read.since == .ago("2h") && read.before == 12)
    }

    @Test func withoutFieldsEachHasItsInitialValue() {
        let read = Read("status=&device=")
        #expect(read.form.isReadable && read.device == nil && read.status == nil && read.since == .ago("7d"))
        #expect(read.form.fields.map(\.text) == ["", "", "7d"])
    }

    @Test(arguments: [
        ("status=refusd", "There is no status \"refusd\". Did you mean refused?"),
        ("status=open", "There is no status \"open\". There is: waiting, refused."),
        ("since=yesterday", "\"yesterday\" is no time: write \(FilterTime.hint)."),
        ("device=a%00b", "No text has the character U+0000."),
        ("device=" + String(repeating: "x", count: 1_001), "At most 1000 characters."),
    ]) func aFieldThatCannotBeReadKeepsItsTextAndHasAProblem(_ query: String, _ words: String) {
        let read = Read(query)
        #expect(!read.form.isReadable)
        let field = read.form.fields.first { $0.problem != nil }
        #expect(field?.problem == words)
        #expect(field?.text.isEmpty == false)
    }

    @Test(arguments: [
        ("before=1000000000000000000000000000000", "before: No id is as large as \"1000000000000000000000000000000\"."),
        ("before=-1", "before: \"-1\" is no id, which is a whole number."),
        ("before=1e3", "before: \"1e3\" is no id, which is a whole number."),
        ("statu=refused", "There is no filter \"statu\". Did you mean status?"),
        ("tags=x", "There is no filter \"tags\". There is: device, status, since."),
    ]) func whatNoFieldIsForIsAProblemOfTheForm(_ query: String, _ words: String) {
        let read = Read(query)
        #expect(!read.form.isReadable)
        #expect(read.form.problems == [words])
    }

    @Test func theLiveSecondsOfAPageAreNoFilter() { #expect(Read("live=10").form.isReadable) }

    @Test func anAddressHasTheSameFiltersAgain() throws {
        let query = "device=a%26b%3D%2F%C3%A9&status=refused&since=3d"
        let form = Read(query + "&before=9").form
        let address = ConsoleAddress.text(base: "", ["devices"], form.query())
        let again = Read(String(try #require(address.split(separator: "?").last)))
        #expect(again.form.fields == form.fields && again.before == nil && again.device == "a&b=/é")
        let older = ConsoleAddress.text(base: "", ["devices"], form.query(before: 5))
        #expect(Read(String(try #require(older.split(separator: "?").last))).before == 5)
    }

    @Test func anAnswerOfTheDatabaseStandsAtItsField() {
        var form = Read("").form
        form.refuse("device", because: "no such device")
        #expect(!form.isReadable && form.fields[0].problem == "no such device")
    }
}
