import Pages

@testable import Console

/// Pages that have one of each thing that pages are made of, to be looked at in a browser.
enum LookFixture {
    /// Whose times the pages have: 2027-01-15T08:00:30Z.
    static let now = 1_800_000_030.0
    static let evil = #""><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>"#

    /// - Parameters:
    ///   - version: the numbers on it.
    ///   - live: of the page; nil: it does not change by itself.
    static func page(_ version: Int, live: Int? = 2, query: String = "") -> String {
        var options = ConsoleOptions()
        options.name = "production"
        let visit = Visit(
            person: Person("ann " + evil, rights: Set(Right.allCases)), options: options, now: now, query: query)
        let content = PageContent(
            title: "Overview \(version)", template: "look", view: 0, liveSeconds: live,
            elsewhere: [Elsewhere(sql: "SELECT * FROM push.workers WHERE host <> '\(evil)'", command: "fanfare status")]
        )
        let html = TemplateLibrary([("look.mustache", template)]).render(View(version), "look")
        return ConsoleTemplates.page(content, html: html, at: .overview, for: visit)
    }

    private struct View {
        let version: Int
        let ages: [AgeView]
        let until = AgeView(until: LookFixture.now + 7_530, at: LookFixture.now)
        let moment = MomentView(LookFixture.now)
        let count: CountView
        let hubs: [Hub]

        init(_ version: Int) {
            self.version = version
            ages = [5, 90, 7_530, 266_430].map { AgeView(since: LookFixture.now - $0, at: LookFixture.now) }
            count = CountView(10_000 + version, upTo: 10_000)
            hubs = zip(
                ["shop", LookFixture.evil, "a-hub-with-a-very-long-name-that-fits-nowhere-on-a-telephone", "eu"],
                StateLook.allCases
            ).map { Hub($0, $1, version) }
        }
    }

    private struct Hub {
        let hubName: String
        let hubLook: String
        let hubState: String
        let hubSent: CountView
        let hubChart: ChartView

        init(_ name: String, _ look: StateLook, _ version: Int) {
            hubName = name
            hubLook = look.rawValue
            hubState =
                switch look {
                case .good: "sends"
                case .waits: "gate closed"
                case .bad: "held: 401"
                case .off: "paused"
                }
            hubSent = CountView(1_234 * version, of: "the last hour")
            let minutes = (0..<60).map {
                ChartView.Minute(
                    at: LookFixture.now - 60 * Double($0), sent: ($0 * 37) % 90 * version, failed: $0 % 9 / 8 * 12)
            }
            hubChart = ChartView(name, minutes, at: LookFixture.now)
        }
    }

    private static let template = """
        <section class="panel" data-part="hubs" aria-labelledby="hubs"><h2 id="hubs">Hubs</h2>
        <div class="wide" tabindex="0" role="region" aria-label="Table of hubs"><table><thead><tr><th scope="col">Hub</th>\
        <th scope="col">State</th><th scope="col" class="count">Sent</th><th scope="col">60 minutes</th></tr></thead>
        <tbody>{{#hubs}}<tr><th scope="row"><a href="/hubs">{{hubName}}</a></th>\
        <td data-label="State"><span class="state {{hubLook}}">{{hubState}}</span></td>\
        <td data-label="Sent" class="count">{{#hubSent}}{{> count}}{{/hubSent}}</td>\
        <td>{{#hubChart}}{{> chart}}{{/hubChart}}</td></tr>{{/hubs}}</tbody></table></div></section>
        <section class="panel trouble" data-part="facts"><h2>Facts</h2><dl><dt>Pending</dt>\
        <dd id="pending">{{#count}}{{> count}}{{/count}} in version {{version}}</dd><dt>Since</dt>\
        <dd id="since">{{#moment}}{{> moment}}{{/moment}}</dd><dt>Ages</dt>\
        <dd id="ages">{{#ages}}{{> age}}; {{/ages}}</dd><dt>Ends in</dt><dd>{{#until}}{{> age}}{{/until}}</dd>\
        <dt>Progress</dt><dd><progress aria-label="Sent" value="40" max="100">40 %</progress></dd></dl></section>
        <section class="panel" data-part="chosen"><h2>Messages, version {{version}}</h2><form class="filters" method="get">\
        <label>Tag <input name="tag" value="{{version}}"></label><label>Status <select name="status"><option>any</option>\
        <option>failed</option></select></label><label><span>Chosen <input type="checkbox" name="id" value="1"></span></label>\
        <button class="main">Show</button></form></section>
        <section class="panel" data-part="opened"><h2>Steps, version {{version}}</h2>\
        <details><summary>More</summary><p>Steps of version {{version}}</p></details></section>
        <section class="panel" data-part="read"><h2>Words, version {{version}}</h2><p id="words">Words to select.</p>\
        <p class="soft">Soft words.</p><form class="buttons" method="post" action="/pause"><button class="main">Pause</button>\
        <button class="danger">Cancel</button></form></section>
        <section class="panel" data-part="same"><h2>Always the same</h2><p id="same">It stays.</p></section>

        """
}
