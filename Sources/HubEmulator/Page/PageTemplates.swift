import Mustache

/// The page's HTML. All external values are in double braces, which escape them.
enum PageTemplates {
    /// Compiled once. A test renders each template, so one that does not parse never ships.
    static let library: MustacheLibrary = {
        var library = MustacheLibrary()
        for (name, source) in [
            ("page", page), ("head", head), ("counts", counts), ("search", search), ("phone", phone), ("card", card),
            ("send", send), ("warnings", warnings), ("faults", faults), ("empty", empty),
        ] {
            do {
                try library.register(source, named: name)
            } catch {
                preconditionFailure("the template \(name) does not parse: \(error)")
            }
        }
        return library
    }()

    static func render(_ view: Any, _ name: String) -> String {
        // nil only for a name that is missing in the list above.
        library.render(view, withTemplate: name) ?? ""
    }

    private static let page = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>{{pageTitle}} · hub emulator</title>
        <link rel="icon" href="/_emulator/page/icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/_emulator/page/style.css">
        <script type="module" src="/_emulator/page/script.js"></script>
        </head>
        <body data-events="{{pageEvents}}" data-instance="{{pageInstance}}"{{#isFirstPage}} data-first{{/isFirstPage}}>
        <a class="skip" href="#phones">Skip to the phones</a>
        {{> head}}
        <div class="layout">
        <main id="phones">
        {{> search}}
        {{^hasDevices}}{{> empty}}{{/hasDevices}}
        <ol class="phones" id="phone-list">
        {{#devices}}{{> phone}}{{/devices}}
        </ol>
        <nav class="pager" aria-label="Pages of phones">
        {{#newerLink}}<a href="{{newerLink}}" rel="prev">← Newer</a>{{/newerLink}}
        <span>{{pageRange}}</span>
        {{#olderLink}}<a href="{{olderLink}}" rel="next">Older →</a>{{/olderLink}}
        </nav>
        </main>
        <aside aria-label="What the hub did">
        <section id="faults" aria-labelledby="faults-title">{{#faultList}}{{> faults}}{{/faultList}}</section>
        <section class="panel" aria-labelledby="sends-title">
        <header><h2 id="sends-title">Journal</h2><a href="/_emulator/journal">JSON</a></header>
        <ol class="sends" id="send-list">{{#sends}}{{> send}}{{/sends}}</ol>
        <p class="none" id="no-sends"{{#hasSends}} hidden{{/hasSends}}>No sends yet.</p>
        </section>
        <section class="panel" id="warnings" aria-labelledby="warnings-title">{{#warningList}}{{> warnings}}{{/warningList}}</section>
        </aside>
        </div>
        <p class="sr" id="announcer" role="status"></p>
        </body>
        </html>
        """

    private static let head = """
        <header class="top">
        <div class="brand"><img src="/_emulator/page/icon.svg" alt="" width="36" height="36"><div><h1>{{pageTitle}}</h1>
        <p>Notification hub emulator <span class="live" id="live">not live</span></p></div></div>
        <dl class="counts" id="counts">{{#counts}}{{> counts}}{{/counts}}</dl>
        <form method="post" action="/_emulator/page/clear"><button title="Empties journal, counts and every inbox">Clear all</button></form>
        </header>
        """

    private static let counts = """
        <div><dt>Sends per second</dt><dd data-count="countRate">{{countRate}}</dd></div>
        <div><dt>Taken</dt><dd data-count="countTaken">{{countTaken}}</dd></div>
        <div><dt>Delivered</dt><dd data-count="countShown">{{countShown}}</dd></div>
        <div><dt>Not taken</dt><dd data-count="countRefused">{{countRefused}}</dd></div>
        <div><dt>Devices</dt><dd data-count="countDevices">{{countDevices}}</dd></div>
        """

    private static let search = """
        <div class="bar">
        {{#hasSeveralHubs}}<nav class="hubs" aria-label="Hubs">
        {{#hubLinks}}<a href="{{hubLinkAddress}}"{{#isCurrentHub}} aria-current="page"{{/isCurrentHub}}>{{hubLinkName}}</a>{{/hubLinks}}
        </nav>{{/hasSeveralHubs}}
        <form method="get" action="/" role="search">
        {{#pageHub}}<input type="hidden" name="hub" value="{{pageHub}}">{{/pageHub}}
        <input name="text" value="{{pageText}}" placeholder="Device, user or text" aria-label="Device, user or text" autocomplete="off">
        <input name="tag" value="{{pageTag}}" placeholder="Tag" aria-label="Tag" autocomplete="off">
        <button>Show</button>{{#isFiltered}}<a href="/">Show all</a>{{/isFiltered}}
        </form>
        </div>
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
        <p class="foot">{{#deviceTemplates}}<span>template {{deviceTemplates}}</span>{{/deviceTemplates}}<a href="{{deviceInbox}}"><span class="total">{{deviceCount}}</span> in its inbox</a></p>
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
        {{#cardIsEmpty}}<p class="problem" lang="en">Empty: the user would see a blank notification</p>{{/cardIsEmpty}}
        {{#cardIsSilent}}<p class="problem" lang="en">Silent: only the app sees it</p>{{/cardIsSilent}}
        {{#hasActions}}<ul class="actions" aria-label="Buttons">{{#cardActions}}<li>{{.}}</li>{{/cardActions}}</ul>{{/hasActions}}
        <details lang="en"><summary>{{#cardTemplate}}<span>{{cardTemplate}}</span>{{/cardTemplate}}{{#cardCategory}}<span>{{cardCategory}}</span>{{/cardCategory}}{{#cardBadge}}<span>badge {{cardBadge}}</span>{{/cardBadge}}{{#cardSound}}<span>sound {{cardSound}}</span>{{/cardSound}}<span class="more">payload</span></summary><pre tabindex="0">{{cardPayload}}</pre></details>
        </li>
        """

    private static let send = """
        <li class="send {{sendLook}}" data-number="{{sendNumber}}">
        <span class="code">{{sendStatus}}</span>
        <span class="audience" title="{{sendAudience}}">{{sendAudience}}</span>
        {{#sendTime}}<time datetime="{{timeStamp}}">{{timeClock}}</time>{{/sendTime}}
        <span class="outcome">{{sendHub}} · {{sendReached}}{{#sendKind}} · {{sendKind}}{{/sendKind}}{{#sendFault}} · fault {{sendFault}}{{/sendFault}}{{#sendSummary}} · <q>{{sendSummary}}</q>{{/sendSummary}}</span>
        {{#sendRefusal}}<span class="refusal">{{sendRefusal}}</span>{{/sendRefusal}}
        </li>
        """

    private static let warnings = """
        <header><h2 id="warnings-title">Warnings{{#hasWarnings}} <span class="number">{{warningCount}}</span>{{/hasWarnings}}</h2>
        {{#hasWarnings}}<form method="post" action="/_emulator/page/clear-warnings"><button>Clear</button></form>{{/hasWarnings}}</header>
        <ul class="warnings">{{#warningRows}}<li><p>{{warningText}}</p><small>{{warningHub}}{{#warningTimes}} · {{warningTimes}}{{/warningTimes}}</small></li>{{/warningRows}}</ul>
        {{^hasWarnings}}<p class="none">Nothing that the real service would silently accept.</p>{{/hasWarnings}}
        """

    private static let faults = """
        {{#hasFaults}}<div class="panel faults"><header><h2 id="faults-title">Faults are set</h2>
        <form method="post" action="/_emulator/page/clear-faults"><button>Clear</button></form></header>
        <ul>{{#faultRows}}<li><p><b>{{faultNumber}}</b> {{faultWhen}}{{#faultHub}} to {{faultHub}}{{/faultHub}}: {{faultWhat}}</p><small>{{faultStruck}}</small></li>{{/faultRows}}</ul></div>{{/hasFaults}}
        {{^hasFaults}}<h2 id="faults-title" class="sr">No faults are set</h2>{{/hasFaults}}
        """

    private static let empty = """
        <section class="empty-page{{^isFiltered}} unfiltered{{/isFiltered}}">
        {{#isFiltered}}<h2>No phone fits</h2><p>No id or user matches, no device has the tag, and no recent notification contains the text.</p>{{/isFiltered}}
        {{^isFiltered}}<h2>No phones yet</h2><p>Register one as an app does, with <code>PUT /{{exampleHub}}/installations/ID</code>, or with</p>
        <pre tabindex="0">fanfare-emulator device add alice --tag World --shows message</pre>
        <p>and it appears here. This page updates by itself.</p>{{/isFiltered}}
        </section>
        """
}
