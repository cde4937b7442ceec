import Pages
import Testing

@testable import Console

@Suite struct FrameViewTests {
    private func page(
        live: Int? = 5, query: String = "", name: String = "", elsewhere: [Elsewhere] = []
    ) -> String {
        var options = ConsoleOptions()
        options.name = name
        let visit = Visit(
            person: Person("Ann", rights: [.look]), options: options, now: 1_767_323_045, query: query)
        let content = PageContent(
            title: "Hubs", template: "", view: 0, liveSeconds: live, elsewhere: elsewhere)
        return ConsoleTemplates.page(content, html: "<p>it</p>", at: .overview, for: visit)
    }

    @Test func aNameHasItsColour() {
        let html = page(name: "production")
        #expect(html.contains("<b class=\"console-name hue-\(Hue.number(of: "production"))\">production</b>"))
        #expect(!page().contains("console-name"))
    }

    @Test func aPageSaysHowOftenItIsAskedFor() {
        #expect(page(live: 2).contains("<body data-live=\"2\">"))
        #expect(page(live: nil).contains("<body>") && !page(live: nil).contains("id=\"live\""))
    }

    @Test func onlyWhoAsksForItGetsAPageThatReloads() {
        let refresh = "http-equiv=\"refresh\""
        #expect(!page().contains(refresh))
        #expect(page().contains("<a href=\"?live=10\">Load again every 10 s</a>"))
        let asked = page(query: "hub=a&live=15")
        #expect(asked.contains("<noscript><meta \(refresh) content=\"15\"></noscript>"))
        #expect(asked.contains("<a href=\"?hub=a\">Stop</a>") && asked.contains("<body data-live=\"15\">"))
        // A page that answers a form would send it again.
        #expect(!page(live: nil, query: "live=15").contains(refresh))
    }

    @Test func aQueryIsTextInTheAddress() {
        #expect(page(query: "a=\"><script>").contains("href=\"?a=&quot;&gt;&lt;script&gt;&amp;live=10\""))
    }

    @Test func aStatementAndACommandCanBeCopied() {
        let html = page(elsewhere: [Elsewhere(about: "<hubs>", sql: "SELECT '<b>'", command: nil)])
        #expect(html.contains("The same in SQL, and as a command: &lt;hubs&gt;"))
        #expect(html.contains("<pre tabindex=\"0\" data-copied=\"sql\">SELECT &#39;&lt;b&gt;&#39;</pre>"))
        #expect(!html.contains("data-copied=\"command\""))
        #expect(!page().contains("class=\"elsewhere\""))
    }

    /// The server's clock, by which ages are reckoned: a page that shows the same is the same page.
    @Test func theClockDoesNotMakeAnotherPage() {
        func page(at now: Double) -> String {
            let visit = Visit(person: Person("Ann", rights: []), options: ConsoleOptions(), now: now)
            return ConsoleTemplates.page(PageContent(title: "a", template: "", view: 0), html: "", at: nil, for: visit)
        }
        let mark = PageMark()
        #expect(page(at: 1) != page(at: 2) && mark.of(page(at: 1)) == mark.of(page(at: 2)))
    }
}
