import Pages
import Testing

@testable import Console

@Suite struct FilterFormViewTests {
    private func html(_ query: String) -> String {
        var form = FilterForm(FormFields(query[...]))
        _ = form.text("device", "Installation id")
        _ = form.choice("status", "Status", of: ["waiting", "refused"])
        _ = form.time("since", "Since")
        form.end()
        return ConsoleTemplates.bare(FilterFormView(form, address: "/devices"), "filters")
    }

    @Test func eachFieldHasALabelAndKeepsItsValue() {
        let html = html("device=a%3Cb%22%3E&status=refused&since=2h")
        #expect(html.contains("<label for=\"filter-device\">Installation id</label>"))
        #expect(html.contains("value=\"a&lt;b&quot;&gt;\"") && !html.contains("a<b"))
        #expect(html.contains("<option value=\"refused\" selected>refused</option>"))
        #expect(html.contains("id=\"filter-since\" name=\"since\" value=\"2h\""))
        #expect(html.contains("aria-describedby=\"filter-since-hint\"") && !html.contains("aria-invalid"))
    }

    @Test func aProblemStandsAtItsField() {
        let html = html("since=now&status=%3Cscript%3E&x%3E=1")
        #expect(html.contains("aria-describedby=\"filter-since-hint filter-since-problem\" aria-invalid=\"true\""))
        #expect(html.contains("id=\"filter-since-problem\">&quot;now&quot; is no time"))
        #expect(html.contains("<option value=\"&lt;script&gt;\" selected>") && !html.contains("<script>"))
        #expect(html.contains("There is no filter &quot;x%3e&quot;."))
    }
}
