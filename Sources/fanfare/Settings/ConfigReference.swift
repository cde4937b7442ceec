import Configuration
import PushModel

/// The key table as a page for people (Markdown). Pure.
struct ConfigReference {
    let keys: [Settings.Description]

    init(_ keys: [Settings.Description]) { self.keys = keys }

    var text: String {
        ([Self.introduction] + sections.map(section) + [Self.ending]).joined(separator: "\n\n")
    }

    /// The first word of a key, in the order of the table; people together, and hubs.
    private var sections: [String] {
        var names: [String] = []
        for key in keys {
            let name = Self.section(of: key)
            if names.last != name { names.append(name) }
        }
        return names
    }

    private static let named = ["console.users.NAME", "hubs.NAME"]

    private static func section(of key: Settings.Description) -> String {
        named.first { key.key.hasPrefix("\($0).") } ?? String(key.key.prefix { $0 != "." })
    }

    private func section(_ name: String) -> String {
        let keys = keys.filter { Self.section(of: $0) == name }
        var parts = ["## \(name)"]
        if name == "hubs.NAME" { parts.append(Self.lead) }
        if name == "console.users.NAME" { parts.append(Self.leadOfPeople) }
        parts.append(Self.table(keys.filter(\.kinds.isEmpty)))
        for kind in HubKind.allCases {
            let own = keys.filter { $0.kinds.contains(kind) }
            if !own.isEmpty { parts += ["### hubs.NAME of kind \(kind.rawValue)", Self.table(own)] }
        }
        return parts.joined(separator: "\n\n")
    }

    private static let lead = """
        One entry for each hub. `NAME` is what backends write into `push.message.hub`: 1 to 63 characters of \
        a-z, 0-9, `_` and `-`. In a variable it stands in capitals, with `_` for `-`; in a credential file as it is. \
        Variables make a hub without any file, if one of them, or a credential file, is its `connectionString`, its \
        `serviceAccount`, its `key` or its `certificate`: `FANFARE_HUBS_NEWS_CONNECTION_STRING` makes `news`, and \
        `FANFARE_HUBS_NEWS_LANGUAGES_ZH_HANS` adds the language `zh-Hans`.

        These keys are for hubs of every kind. Those of one kind follow, and a hub of another kind must not have them. \
        A reload does not change the kind of a hub.
        """

    private static let leadOfPeople = """
        One entry for each person. `NAME` is what pages and `push.audit` call the person: \(PersonName.rule). Two names that differ \
        in case alone are wrong. In a variable it stands in capitals, with `_` for what is neither letter nor digit; in a credential \
        file with `_` for what is neither letter, digit nor `-`. `FANFARE_CONSOLE_USERS_ANA_MAY` makes `ana` without any file.

        Each right is a role of the database ([operations](operations.md)), which decides: `look` push_monitor, `operate` push_operator, \
        `campaigns` push_campaign, `approve` push_approve. `fanfare console password` makes what stands in `password`; a shell, and \
        Docker Compose, replace what follows a `$`, so it needs single quotes there.
        """

    private static func table(_ keys: [Settings.Description]) -> String {
        "| key | what it is | value | default | environment | credential file | takes effect |\n"
            + "|---|---|---|---|---|---|---|\n" + keys.map(row).joined(separator: "\n")
    }

    private static func row(_ key: Settings.Description) -> String {
        let initial = key.initial.isEmpty ? "none" : key.initial == "NAME" ? "the entry's own name" : "`\(key.initial)`"
        let cells = [
            "`\(key.key)`", key.about, key.rule, initial, "`\(key.variable)`",
            key.credential.map { "`\($0)`" } ?? "", Self.effect(key.change),
        ]
        return "| " + cells.map { $0.replacing(scalars: "|", with: "\\|") }.joined(separator: " | ") + " |"
    }

    private static func effect(_ change: SettingChange) -> String {
        switch change {
        case .reload, .live: "on reload"
        case .restart: "on restart"
        case .never: "never: a hub keeps its kind"
        }
    }

    private static let introduction = """
        # Configuration

        <!-- Made by bin/generate from the key tables in Sources/Configuration/Keys: what is changed here by hand is lost. -->

        Every command reads `config.json`, or `/etc/fanfare/config.json` when it is missing, or the file named with `--config`. \
        A value may come from several places; the uppermost that has it wins:

        1. the command line: `--set dispatch.batch=500` (also `--log-level`, `--log-format`). Others see it in `ps`: no secrets there;
        2. the environment: one variable for each key, named in the tables below, also without the `_` inside a key: \
        `FANFARE_HUBS_NEWS_CONNECTIONSTRING`. `DATABASE_URL` stands in for `FANFARE_DATABASE_URL`. A variable that is set to \
        nothing counts as not set;
        3. credential files, for secrets only: in `$CREDENTIALS_DIRECTORY` (systemd's `LoadCredential=`), then in `/run/secrets` \
        (Docker, Kubernetes). White space around a value is removed, and an empty file counts as no file;
        4. the settings file;
        5. the default.

        `fanfare config print` shows every value in effect with its source and without secrets, `fanfare config check` everything \
        that is wrong or odd: unknown keys (with the one that was probably meant), keys given twice, values out of range, \
        connection strings that cannot be read, languages with one word, a second key that is the first, no hub at all. What it \
        calls wrong is what `fanfare run` ends with. With `"$schema": "./config.schema.json"` an editor knows the keys, too. `null` \
        means the default.

        One thing comes from the environment alone: `OTEL_EXPORTER_OTLP_ENDPOINT` and what belongs to it say where \
        [spans](operations.md#spans) go.

        ## Reload

        `systemctl reload fanfare`, or SIGHUP to `fanfare run`, reads file and credentials again. What systemd hands over does \
        not change while a service runs: its environment, and the credentials of `LoadCredential=`, which it copies at the \
        start. `systemctl restart fanfare` takes those; nothing in flight is lost. All of it is checked first: if anything is wrong, the old settings stay, every problem is in \
        the log, and nothing else happens. A process that reads its file only when it is told to never acts on a half-written one, \
        so nothing watches the file.

        If all is well, a new worker begins with the new settings beside the old one. Once it works, the old one claims nothing more, gives back \
        what has not left, and waits for the answers of what has, at most `dispatch.drainSeconds`: nothing pauses, nothing is lost, \
        nothing is sent twice. For that moment a hub may have more posts in flight than its `window`. A new `database.url` works the same \
        way; if the new database has no schema, or cannot be worked on, the old worker stays. While it is only out of reach, the old \
        worker goes on and the new one keeps trying. Settings without a change leave the worker alone. Keys that take effect \
        on restart are named in the log when they differ.

        Backends are held to the hubs in the database, which `fanfare migrate up` writes from these settings (`fanfare hub add` writes \
        one of them). A worker registers hubs that are missing and changes no others: while its settings of a hub differ from the \
        registered ones, it posts with its own, says in the log which keys differ, and `push.hub_health` names it. So run \
        `fanfare migrate up` after changing a hub, then reload.

        A hub that is taken out of the settings is not served any more, and its messages wait until they expire. \
        `fanfare message cancel --hub NAME` stops them.
        """

    private static let ending = """
        ## Health

        `fanfare run` answers `GET` and `HEAD` at `console.listen`: `/livez` (its own tasks answer and the thread that posts turns; says nothing about the database, so that a \
        cluster does not restart workers because a database blinks), `/readyz` (it works, the database answered within 10 s with the right \
        schema and has not refused changes for 10 s, and it has not been told to stop) and `/startupz` (it has begun to work). 200 and `ok`, or 503 and the reasons; \
        with `?verbose` a JSON document with every check, and what is odd about this machine's clock or the settings of the \
        database. Two addresses, such as `127.0.0.1:9464,[::1]:9464`, have a comma in between. On a loopback address, requests for another host are refused, so that \
        no web page can ask through a browser. If the default address is taken, a line in the log says so and the worker works \
        without; if a configured one is, it ends with 69. `fanfare drain` serves nothing.

        `/metrics` is served beside them, and alone at `console.metrics`. A request on an address that is not on the loopback \
        (`localhost`, 127.0.0.0/8, `::1`; any other name counts as open) has to bring `Authorization: Bearer` and \
        `console.metricsToken`, or gets 401. Without that token `console.listen` has no metrics on such an address, and with such an \
        address in `console.metrics` the settings are wrong. On the loopback nobody is asked for it.
        """
}
