import Mustache

/// The page's HTML. All external values are in double braces, which escape them; `toolContent` alone is HTML of ours.
enum PageTemplates {
    /// Compiled once. A test renders each template, so one that does not parse never ships.
    static let library: MustacheLibrary = {
        MustacheContentTypes.register(PageEscaping(), named: PageEscaping.name)
        var library = MustacheLibrary()
        for (name, source) in sources {
            do {
                // In each: a partial does not take over the content type of the template that names it.
                try library.register("{{% CONTENT_TYPE: \(PageEscaping.name)}}\n" + source, named: name)
            } catch {
                preconditionFailure("the template \(name) does not parse: \(error)")
            }
        }
        return library
    }()

    static let sources = main + tools

    private static let main = [
        ("page", page), ("meta", meta), ("head", head), ("counts", counts), ("clock", clock), ("search", search),
        ("journal", journal), ("phone", phone), ("card", card), ("send", send), ("warnings", warnings),
        ("warning", warning), ("faults", faults), ("empty", empty),
    ]

    static func render(_ view: Any, _ name: String) -> String {
        // nil only for a name that is in neither list.
        library.render(view, withTemplate: name) ?? ""
    }

    private static let page = """
        <!doctype html>
        <html lang="en">
        <head>
        {{> meta}}
        </head>
        <body data-events="{{pageEvents}}" data-instance="{{pageInstance}}"{{#clock}} data-advanced="{{clockSeconds}}"{{/clock}}{{#isFirstPage}} data-first{{/isFirstPage}}>
        <a class="skip" href="#phones">Skip to the phones</a>
        {{> head}}
        <div id="clock" data-part="clock">{{#clock}}{{> clock}}{{/clock}}</div>
        <div class="layout">
        <aside class="notices" aria-label="Warnings and faults">
        <section class="panel" id="warnings" data-part="warnings" aria-labelledby="warnings-title">{{#warningList}}{{> warnings}}{{/warningList}}</section>
        <section id="faults" data-part="faults" aria-labelledby="faults-title">{{#faultList}}{{> faults}}{{/faultList}}</section>
        </aside>
        <main id="phones">
        {{> search}}
        <div data-part="phones">
        {{^hasDevices}}{{> empty}}{{/hasDevices}}
        <ol class="phones" id="phone-list">
        {{#devices}}{{> phone}}{{/devices}}
        </ol>
        <nav class="pager" aria-label="Pages of phones">
        {{#newerLink}}<a href="{{newerLink}}" rel="prev">← Newer</a>{{/newerLink}}
        {{#pageRange}}<span>{{pageRange}}</span>{{/pageRange}}
        {{#olderLink}}<a href="{{olderLink}}" rel="next">Older →</a>{{/olderLink}}
        </nav>
        </div>
        </main>
        <aside class="journal" aria-label="What the hub did">
        {{> journal}}
        </aside>
        </div>
        <p class="sr" id="announcer" role="status"></p>
        <dialog id="detail" aria-label="A send"><div class="sheet"><button class="close">Close</button><div class="content"></div></div></dialog>
        </body>
        </html>
        """

    private static let meta = """
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>{{pageTitle}} · hub emulator</title>
        <link rel="icon" href="/_emulator/page/icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/_emulator/page/style.css">
        <script type="module" src="/_emulator/page/script.js"></script>
        """

    private static let head = """
        <header class="top">
        <div class="brand"><img src="/_emulator/page/icon.svg" alt="" width="36" height="36"><div><h1>{{pageTitle}}</h1>
        <p>Notification hub emulator {{#counts}}<span class="live" id="live">not live</span> <button id="pause" hidden>Pause</button>{{/counts}}</p></div></div>
        {{#counts}}<dl class="counts" id="counts">{{> counts}}</dl>
        <form method="post" action="/_emulator/page/clear"><button title="Empties journal, counts and every inbox">Clear all</button></form>{{/counts}}
        <nav class="places" aria-label="Pages">{{#navLinks}}<a href="{{navAddress}}"{{#isCurrentNav}} aria-current="page"{{/isCurrentNav}}>{{navName}}</a>{{/navLinks}}</nav>
        </header>
        """

    private static let counts = """
        <div><dt>Sends per second</dt><dd data-count="countRate">{{countRate}}</dd></div>
        <div><dt>Taken</dt><dd data-count="countTaken">{{countTaken}}</dd></div>
        <div><dt>Delivered</dt><dd data-count="countShown">{{countShown}}</dd></div>
        <div><dt>Not taken</dt><dd data-count="countRefused">{{countRefused}}</dd></div>
        <div><dt>Devices</dt><dd data-count="countDevices">{{countDevices}}</dd></div>
        """

    private static let clock = """
        {{#isClockMoved}}<section class="banner" aria-label="The clock"><p><b>The clock is {{clockAhead}} ahead.</b> \
        Everything here is dated by it; tokens are not.</p>
        <form method="post" action="/_emulator/page/reset-clock" data-quiet><button>Put it back</button></form></section>{{/isClockMoved}}
        """

    private static let search = """
        <div class="bar">
        {{#hasSeveralHubs}}<nav class="hubs" aria-label="Hubs">
        {{#hubLinks}}<a href="{{hubLinkAddress}}"{{#isCurrentHub}} aria-current="page"{{/isCurrentHub}}>{{hubLinkName}}</a>{{/hubLinks}}
        </nav>{{/hasSeveralHubs}}
        <form method="get" action="/" role="search" aria-label="Phones" data-live>
        {{#pageHub}}<input type="hidden" name="hub" value="{{pageHub}}">{{/pageHub}}
        <input type="search" name="text" value="{{pageText}}" placeholder="Device, user or text" aria-label="Device, user or text" autocomplete="off">
        <input type="search" name="tag" value="{{pageTag}}" placeholder="Tag" aria-label="Tag" autocomplete="off">
        <span data-part="carry-sends">{{#pageStatus}}<input type="hidden" name="status" value="{{pageStatus}}">{{/pageStatus}}{{#pageFind}}<input type="hidden" name="find" value="{{pageFind}}">{{/pageFind}}</span>
        <button data-submit>Show</button><span data-part="show-all">{{#isFiltered}}<a href="/">Show all</a>{{/isFiltered}}</span>
        </form>
        <a class="button" href="/_emulator/page/phone">Add a phone</a>
        </div>
        """

    private static let journal = """
        <section class="panel" aria-labelledby="sends-title">
        <header><h2 id="sends-title">Journal</h2><a href="/_emulator/journal">JSON</a></header>
        <form class="find" method="get" action="/" role="search" aria-label="Journal" data-live>
        {{#pageHub}}<input type="hidden" name="hub" value="{{pageHub}}">{{/pageHub}}
        <span data-part="carry-phones">{{#pageText}}<input type="hidden" name="text" value="{{pageText}}">{{/pageText}}{{#pageTag}}<input type="hidden" name="tag" value="{{pageTag}}">{{/pageTag}}{{#pageStatus}}<input type="hidden" name="status" value="{{pageStatus}}">{{/pageStatus}}</span>
        <input type="search" name="find" value="{{pageFind}}" placeholder="429, a tag or a text" aria-label="Status, tag or text of a send" autocomplete="off">
        <button data-submit>Find</button>
        </form>
        <nav class="hubs" aria-label="Which sends" data-part="send-links">{{#sendLinks}}<a href="{{sendLinkAddress}}" data-quiet{{#isCurrentSend}} aria-current="true"{{/isCurrentSend}}>{{sendLinkName}}</a>{{/sendLinks}}</nav>
        <div data-part="sends"><ol class="sends" id="send-list">{{#sends}}{{> send}}{{/sends}}</ol>
        <p class="none" id="no-sends"{{#hasSends}} hidden{{/hasSends}}>No sends here yet.</p></div>
        </section>
        """

    private static let phone = """
        <li class="phone" data-phone="{{deviceKey}}">
        <article class="{{deviceLook}}" aria-label="{{deviceId}}">
        <div class="frame"><div class="screen" tabindex="0" role="region" aria-label="Notifications of {{deviceId}}">
        <div class="status" aria-hidden="true"><span class="clock"></span><span class="signal"></span></div>
        {{^hasCards}}<p class="quiet">No notifications</p>{{/hasCards}}
        <ol class="cards">{{#cards}}{{> card}}{{/cards}}</ol>
        </div></div>
        <div class="about">
        <h2 title="{{deviceId}}">{{deviceId}}</h2>
        <p class="facts"><span>{{deviceKind}}</span>{{#deviceUser}}<span>{{deviceUser}}</span>{{/deviceUser}}{{#deviceLanguage}}<span class="language">{{deviceLanguage}}</span>{{/deviceLanguage}}{{#deviceNote}}<span class="note">{{deviceNote}}</span>{{/deviceNote}}</p>
        <ul class="tags" aria-label="Tags">{{#deviceTags}}<li><a href="{{tagLink}}">{{tagText}}</a></li>{{/deviceTags}}{{#deviceMoreTags}}<li>{{deviceMoreTags}} more</li>{{/deviceMoreTags}}</ul>
        <div class="foot">{{#deviceTemplates}}<span>template {{deviceTemplates}}</span>{{/deviceTemplates}}<a href="{{deviceInbox}}"><span class="total">{{deviceCount}}</span> in its inbox</a>
        <form method="post" action="/_emulator/page/clear-inbox" data-quiet><input type="hidden" name="hub" value="{{deviceHub}}"><input type="hidden" name="{{deviceField}}" value="{{deviceId}}"><button aria-label="Clear the inbox of {{deviceId}}">Clear</button></form></div>
        </div>
        </article>
        </li>
        """

    private static let card = """
        <li class="card{{#cardIsEmpty}} empty{{/cardIsEmpty}}{{#cardIsSilent}} silent{{/cardIsSilent}}" data-number="{{cardNumber}}"{{#cardLanguage}} lang="{{cardLanguage}}"{{/cardLanguage}}>
        <div class="app" lang="en"><span class="icon hue-{{cardHue}}" aria-hidden="true">{{cardInitial}}</span><span class="name">{{cardApp}}</span>{{#cardTime}}<time datetime="{{timeStamp}}">{{timeClock}}</time>{{/cardTime}}</div>
        {{#cardTitle}}<p class="title" dir="auto">{{cardTitle}}</p>{{/cardTitle}}
        {{#cardSubtitle}}<p class="subtitle" dir="auto">{{cardSubtitle}}</p>{{/cardSubtitle}}
        {{#cardBody}}<p class="body" dir="auto">{{cardBody}}</p>{{/cardBody}}
        {{#cardIsEmpty}}<p class="problem" lang="en">Empty: {{#cardMissing}}the message lacks <b>{{cardMissing}}</b>{{/cardMissing}}{{^cardMissing}}the user would see a blank notification{{/cardMissing}}</p>{{/cardIsEmpty}}
        {{^cardIsEmpty}}{{#cardMissing}}<p class="problem" lang="en">The message lacks <b>{{cardMissing}}</b></p>{{/cardMissing}}{{/cardIsEmpty}}
        {{#cardIsSilent}}<p class="problem" lang="en">Silent: only the app sees it</p>{{/cardIsSilent}}
        {{#hasActions}}<ul class="actions" aria-label="Buttons">{{#cardActions}}<li>{{.}}</li>{{/cardActions}}</ul>{{/hasActions}}
        <details lang="en"><summary>{{#cardTemplate}}<span>{{cardTemplate}}</span>{{/cardTemplate}}{{#cardCategory}}<span>{{cardCategory}}</span>{{/cardCategory}}{{#cardBadge}}<span>badge {{cardBadge}}</span>{{/cardBadge}}{{#cardSound}}<span>sound {{cardSound}}</span>{{/cardSound}}<span class="more">payload</span></summary><pre tabindex="0">{{cardPayload}}</pre><a href="/_emulator/page/sends/{{cardNumber}}" data-detail>The send it came from</a></details>
        </li>
        """

    private static let send = """
        <li class="send {{sendLook}}" data-number="{{sendNumber}}">
        <span class="code">{{sendStatus}}</span>
        <a class="audience" href="/_emulator/page/sends/{{sendNumber}}" title="{{sendAudience}}" data-detail>{{sendAudience}}</a>
        {{#sendTime}}<time datetime="{{timeStamp}}">{{timeClock}}</time>{{/sendTime}}
        <span class="outcome">{{sendHub}} · {{sendReached}}{{#sendKind}} · {{sendKind}}{{/sendKind}}{{#sendFault}} · fault {{sendFault}}{{/sendFault}}{{#sendSummary}} · <q>{{sendSummary}}</q>{{/sendSummary}}</span>
        {{#sendRefusal}}<span class="refusal">{{sendRefusal}}</span>{{/sendRefusal}}
        </li>
        """

    private static let warnings = """
        <header><h2 id="warnings-title">Warnings{{#hasWarnings}} <span class="number">{{warningCount}}</span>{{/hasWarnings}}</h2>
        {{#hasWarnings}}<form method="post" action="/_emulator/page/clear-warnings" data-quiet><button>Clear</button></form>{{/hasWarnings}}</header>
        <ul class="warnings">{{#warningRows}}{{> warning}}{{/warningRows}}</ul>
        {{#hasMoreWarnings}}<details class="more-warnings"><summary>{{moreWarningCount}} more</summary><ul class="warnings">{{#moreWarningRows}}{{> warning}}{{/moreWarningRows}}</ul></details>{{/hasMoreWarnings}}
        {{^hasWarnings}}<p class="none">Nothing that the real service would silently accept.</p>{{/hasWarnings}}
        """

    private static let warning = """
        <li><p>{{warningText}}</p><small>{{warningHub}}{{#warningTimes}} · {{warningTimes}}{{/warningTimes}}</small></li>
        """

    private static let faults = """
        {{#hasFaults}}<div class="panel faults"><header><h2 id="faults-title">Faults are set</h2>
        <form method="post" action="/_emulator/page/clear-faults" data-quiet><button>Clear</button></form></header>
        <ul>{{#faultRows}}<li><p><b>{{faultNumber}}</b> {{faultWhen}}{{#faultHub}} to {{faultHub}}{{/faultHub}}: {{faultWhat}}</p><small>{{faultStruck}}</small></li>{{/faultRows}}</ul></div>{{/hasFaults}}
        {{^hasFaults}}<h2 id="faults-title" class="sr">No faults are set</h2>{{/hasFaults}}
        """

    private static let empty = """
        <section class="empty-page{{^isFiltered}} unfiltered{{/isFiltered}}">
        {{#isFiltered}}<h2>No phone fits</h2><p>No id or user matches, no device has the tag, and no recent notification contains the text.</p>{{/isFiltered}}
        {{^isFiltered}}<h2>No phones yet</h2><p>Register one as an app does, with <code>PUT /{{exampleHub}}/installations/ID</code>, <a href="/_emulator/page/phone">with a form</a>, or with</p>
        <pre tabindex="0">fanfare-emulator device add alice --tag World --shows message</pre>
        <p>and it appears here. This page updates by itself.</p>{{/isFiltered}}
        </section>
        """
}
