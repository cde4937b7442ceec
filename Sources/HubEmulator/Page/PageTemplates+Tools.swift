/// The HTML of the pages beside the one with the phones.
extension PageTemplates {
    static let tools = [
        ("tool", tool), ("detail", detail), ("missing-send", missingSend), ("send-form", sendForm),
        ("phone-form", phoneForm), ("tags", tags), ("schedules", schedules), ("telemetry", telemetry),
        ("registrations", registrations), ("hub-field", hubField),
    ]

    private static let tool = """
        <!doctype html>
        <html lang="en">
        <head>
        {{> meta}}
        </head>
        <body data-instance="{{pageInstance}}"{{#clock}} data-advanced="{{clockSeconds}}"{{/clock}}>
        <a class="skip" href="#content">Skip to the content</a>
        {{> head}}
        <div id="clock" data-part="clock">{{#clock}}{{> clock}}{{/clock}}</div>
        <main class="tool" id="content">
        {{{toolContent}}}
        </main>
        </body>
        </html>
        """

    private static let detail = """
        <article class="report" data-report>
        {{#send}}<header class="{{sendLook}}"><p class="code">{{sendStatus}}</p><div><h2>{{sendAudience}}</h2>
        <p class="soft">{{sendHub}} · send {{sendNumber}}{{#sendKind}} · {{sendKind}}{{/sendKind}} · {{#sendTime}}<time datetime="{{timeStamp}}">{{timeClock}}</time>{{/sendTime}}<span class="its-page"> · <a href="/_emulator/page/sends/{{sendNumber}}">its page</a></span></p></div></header>{{/send}}
        <p class="verdict">{{reportVerdict}}</p>
        {{#refusalText}}<section class="rule"><h3>Refused by {{#ruleName}}the rule “{{ruleName}}”{{/ruleName}}{{^ruleName}}the hub{{/ruleName}}</h3><p class="words">{{refusalText}}</p>{{#ruleAdvice}}<p>{{ruleAdvice}}</p>{{/ruleAdvice}}</section>{{/refusalText}}
        {{#faultText}}<section class="rule"><h3>A fault acted on it</h3><p class="words">{{faultText}}</p></section>{{/faultText}}
        {{#showsAudience}}<div class="two">
        <section><h3>Got it <span class="number">{{gotCount}}</span></h3>
        <ul class="rows">{{#got}}<li>{{#arrivalLink}}<a href="{{arrivalLink}}">{{arrivalDevice}}</a>{{/arrivalLink}}{{#arrivalTemplate}} <small>template {{arrivalTemplate}}</small>{{/arrivalTemplate}}\
        {{#arrivalTitle}}<p dir="auto"><b>{{arrivalTitle}}</b></p>{{/arrivalTitle}}{{#arrivalText}}<p dir="auto">{{arrivalText}}</p>{{/arrivalText}}{{#arrivalMissing}}<p class="words">the message lacks {{arrivalMissing}}</p>{{/arrivalMissing}}</li>{{/got}}</ul>
        {{#gotMore}}<p class="none">{{gotMore}}</p>{{/gotMore}}</section>
        <section><h3>Did not get it <span class="number">{{missedCount}}</span></h3>
        <ul class="rows">{{#missed}}<li><a href="{{missedLink}}">{{missedDevice}}</a> <span>{{missedReason}}</span></li>{{/missed}}</ul>
        {{#missedMore}}<p class="none">{{missedMore}}</p>{{/missedMore}}<p class="none">Judged by the devices as they are now.</p></section>
        </div>{{/showsAudience}}
        {{#requestLine}}<section><h3>Request</h3><p class="line"><code>{{requestLine}}</code></p>
        <div class="wide" tabindex="0" role="region" aria-label="Headers"><table class="headers"><tbody>{{#requestHeaders}}<tr><th scope="row">{{headerName}}</th><td>{{headerValue}}</td></tr>{{/requestHeaders}}</tbody></table></div></section>{{/requestLine}}
        {{^requestLine}}<p class="none">The request is no longer kept: only those of the newest 1,000 sends are.</p>{{/requestLine}}
        {{#hasProperties}}<section><h3>Properties</h3><div class="wide" tabindex="0" role="region" aria-label="Properties"><table class="headers"><tbody>{{#properties}}<tr><th scope="row">{{propertyName}}</th><td dir="auto">{{propertyValue}}</td></tr>{{/properties}}</tbody></table></div></section>{{/hasProperties}}
        {{#bodyText}}<section><h3>Body</h3><pre tabindex="0">{{bodyText}}</pre></section>{{/bodyText}}
        {{#curlText}}<section><h3>As curl <button data-copy="curl" hidden>Copy</button></h3><pre tabindex="0" data-copied="curl">{{curlText}}</pre></section>{{/curlText}}
        <p class="none"><a href="{{jsonLink}}">JSON</a>{{#telemetryLink}} · <a href="{{telemetryLink}}">telemetry</a>{{/telemetryLink}}</p>
        </article>
        """

    private static let missingSend = """
        <section class="empty-page"><h2>No send {{sendNumber}}</h2><p>The journal does not have it: it was cleared or dropped, or has not arrived yet.</p></section>
        """

    private static let hubField = """
        <label>Hub <select name="hub">{{#hubOptions}}<option{{#isChosen}} selected{{/isChosen}}>{{optionName}}</option>{{/hubOptions}}</select></label>
        """

    private static let sendForm = """
        <section class="panel form"><h2>Send a notification</h2>
        <p class="soft">Signed with a key of the hub and served like any other send: rules, faults and journal apply.</p>
        {{#formProblem}}<p class="words" role="alert">{{formProblem}}</p>{{/formProblem}}
        <form method="post" action="/_emulator/page/send">
        {{> hub-field}}
        <label>Tag expression <input name="tags" value="{{formTags}}" placeholder="World &amp;&amp; !Sports" autocomplete="off" spellcheck="false"></label>
        <label class="check"><input type="checkbox" name="everyone"{{#isForEveryone}} checked{{/isForEveryone}}> Without tags, to every device</label>
        <label>Format <select name="format">{{#formatOptions}}<option{{#isChosen}} selected{{/isChosen}}>{{optionName}}</option>{{/formatOptions}}</select></label>
        <label>Body <textarea name="body" rows="8" spellcheck="false">{{formBody}}</textarea></label>
        <p><button class="main">Send</button></p>
        </form></section>
        """

    private static let phoneForm = """
        <section class="panel form"><h2>Add a phone</h2>
        <p class="soft">Registered as its app would do it. One with the same id is replaced.</p>
        {{#formProblem}}<p class="words" role="alert">{{formProblem}}</p>{{/formProblem}}
        <form method="post" action="/_emulator/page/phone">
        {{> hub-field}}
        <label>Id <input name="id" value="{{formID}}" required autocomplete="off" spellcheck="false" placeholder="alice-iphone"></label>
        <label>Platform <select name="platform">{{#platformOptions}}<option{{#isChosen}} selected{{/isChosen}}>{{optionName}}</option>{{/platformOptions}}</select></label>
        <label>User <input name="user" value="{{formUser}}" autocomplete="off" placeholder="optional"></label>
        <label>Tags <input name="tags" value="{{formTags}}" autocomplete="off" spellcheck="false" placeholder="World, lang:fr"></label>
        <label>Property shown as title <input name="title" value="{{formTitle}}" autocomplete="off" spellcheck="false" placeholder="optional"></label>
        <label>Property shown as text <input name="shows" value="{{formShows}}" autocomplete="off" spellcheck="false"></label>
        <p><button class="main">Add</button></p>
        </form></section>
        """

    private static let tags = """
        <section class="panel form"><h2>Whom would it reach?</h2>
        <form method="get" action="/_emulator/page/tags" role="search" data-live>
        {{> hub-field}}
        <label>Tag expression <input type="search" name="tags" value="{{formTags}}" placeholder="World &amp;&amp; !Sports" autocomplete="off" spellcheck="false"></label>
        <label>Format <select name="format">{{#formatOptions}}<option{{#isChosen}} selected{{/isChosen}}>{{optionName}}</option>{{/formatOptions}}</select></label>
        <p><button class="main" data-submit>Look</button></p>
        </form></section>
        <div data-part="answer" aria-live="polite">
        {{#formProblem}}<section class="panel"><p class="words">{{formProblem}}</p></section>{{/formProblem}}
        {{#hasAnswer}}<section class="panel report"><p class="verdict"><b>{{reachCount}}</b> of {{reachTotal}} {{reachLabel}}. <a href="{{sendLink}}">Send to them</a></p>
        {{#unknownTags}}<p class="words">No device has the tag {{unknownTag}}{{#similarTag}}; did you mean {{similarTag}}?{{/similarTag}}</p>{{/unknownTags}}
        <div class="two"><section><h3>Reached</h3><ul class="rows">{{#reached}}<li><a href="{{reachedLink}}">{{reachedDevice}}</a> <span>{{reachedNote}}</span></li>{{/reached}}</ul>{{#reachedMore}}<p class="none">{{reachedMore}}</p>{{/reachedMore}}</section>
        <section><h3>Not reached</h3><ul class="rows">{{#missed}}<li><a href="{{missedLink}}">{{missedDevice}}</a> <span>{{missedReason}}</span></li>{{/missed}}</ul>{{#missedMore}}<p class="none">{{missedMore}}</p>{{/missedMore}}</section></div></section>{{/hasAnswer}}
        </div>
        """

    private static let schedules = """
        <section class="panel"><h2>Clock</h2>
        <p class="soft">{{#clockTime}}It is <time datetime="{{timeStamp}}" data-full>{{timeStamp}}</time>.{{/clockTime}} Advancing it delivers what is then due.</p>
        <form class="buttons" method="post" action="/_emulator/page/advance-clock">
        {{#nextSeconds}}<button name="seconds" value="{{nextSeconds}}" class="main">To the next send</button>{{/nextSeconds}}
        <button name="seconds" value="60">1 minute</button><button name="seconds" value="3600">1 hour</button><button name="seconds" value="86400">1 day</button>
        </form></section>
        <section class="panel"><h2>Waiting</h2>
        {{^hasSchedules}}<p class="none">No send is scheduled.</p>{{/hasSchedules}}
        {{#hasSchedules}}<div class="wide" tabindex="0" role="region" aria-label="Scheduled sends"><table><thead><tr><th scope="col">Due</th><th scope="col">In</th><th scope="col">Hub</th><th scope="col">Tags</th><th scope="col">Format</th><th scope="col"><span class="sr">Cancel</span></th></tr></thead>
        <tbody>{{#schedules}}<tr><td data-label="Due">{{#scheduleDue}}<time datetime="{{timeStamp}}" data-full>{{timeStamp}}</time>{{/scheduleDue}}</td><td data-label="In">{{scheduleIn}}</td><td data-label="Hub">{{scheduleHub}}</td><td data-label="Tags">{{scheduleTags}}</td><td data-label="Format">{{scheduleFormat}}</td>\
        <td><form method="post" action="/_emulator/page/cancel"><input type="hidden" name="notification" value="{{scheduleID}}"><button aria-label="Cancel the send to {{scheduleTags}}">Cancel</button></form></td></tr>{{/schedules}}</tbody></table></div>{{/hasSchedules}}
        </section>
        """

    private static let telemetry = """
        <section class="panel"><h2>Telemetry</h2>
        {{^hasTelemetry}}<p class="none">No notification yet. Only the standard tier has telemetry.</p>{{/hasTelemetry}}
        {{#hasTelemetry}}<div class="wide" tabindex="0" role="region" aria-label="Notifications"><table><thead><tr><th scope="col">Taken</th><th scope="col">State</th><th scope="col">Hub</th><th scope="col">Tags</th><th scope="col">Outcomes</th><th scope="col"><span class="sr">JSON</span></th></tr></thead>
        <tbody>{{#notifications}}<tr><td data-label="Taken">{{#telemetryTime}}<time datetime="{{timeStamp}}">{{timeClock}}</time>{{/telemetryTime}}</td><td data-label="State" class="{{telemetryLook}}"><span class="code">{{telemetryState}}</span></td><td data-label="Hub">{{telemetryHub}}</td><td data-label="Tags">{{telemetryTags}}</td><td data-label="Outcomes">{{telemetryCounts}}</td><td><a href="{{telemetryLink}}">JSON</a></td></tr>{{/notifications}}</tbody></table></div>{{/hasTelemetry}}
        </section>
        <section class="panel"><header><h2>Rules</h2>{{#hasRules}}<form method="post" action="/_emulator/page/clear-telemetry"><button>Clear</button></form>{{/hasRules}}</header>
        {{#hasRules}}<pre tabindex="0">{{rulesText}}</pre>{{/hasRules}}
        {{^hasRules}}<p class="none">No rule changes what telemetry reports. One is set with <code>POST /_emulator/telemetry</code>.</p>{{/hasRules}}
        </section>
        """

    private static let registrations = """
        <section class="panel form"><h2>Registrations</h2>
        <form method="get" action="/_emulator/page/registrations" role="search" data-live>
        {{> hub-field}}
        <label>Tag <input type="search" name="tag" value="{{formTag}}" autocomplete="off" spellcheck="false" placeholder="any"></label>
        <p><button class="main" data-submit>Show</button></p>
        </form></section>
        <div data-part="answer"><section class="panel">
        {{^hasRegistrations}}<p class="none">No registration fits.</p>{{/hasRegistrations}}
        {{#hasRegistrations}}<div class="wide" tabindex="0" role="region" aria-label="Registrations"><table><thead><tr><th scope="col">Device</th><th scope="col">Platform</th><th scope="col">Template</th><th scope="col">Tags</th><th scope="col">Handle</th><th scope="col">Expires</th></tr></thead>
        <tbody>{{#registrations}}<tr><td data-label="Device"><a href="{{registrationLink}}" title="{{registrationID}}">{{registrationDevice}}</a></td><td data-label="Platform">{{registrationPlatform}}</td><td data-label="Template">{{registrationTemplate}}</td><td data-label="Tags">{{registrationTags}}</td><td data-label="Handle"><code>{{registrationHandle}}</code></td><td data-label="Expires">{{registrationExpiry}}</td></tr>{{/registrations}}</tbody></table></div>{{/hasRegistrations}}
        {{#nextLink}}<nav class="pager" aria-label="Pages of registrations"><a href="{{nextLink}}" rel="next">More →</a></nav>{{/nextLink}}
        </section></div>
        """
}
