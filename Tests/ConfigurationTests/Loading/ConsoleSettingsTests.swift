import PushModel
import Signing
import Testing

@testable import Configuration

/// What the pages of the console need before somebody may enter.
@Suite struct ConsoleSettingsTests {
    let fixture: SettingsFixture

    init() throws { fixture = try SettingsFixture() }

    /// A release of a peer lost "local only" (Hangfire #1958).
    @Test func thePagesAreOffUnlessTheyAreAskedFor() throws {
        let console = try fixture.load("{}").console
        #expect(console.pages == nil && console.users.isEmpty && !console.isReadOnly && console.databaseURL == nil)
        #expect(try fixture.load(#"{"console": {"pages": "off"}}"#).console.pages == nil)
    }

    @Test func everyKeyReachesItsField() throws {
        let console = try fixture.load(
            SettingsFixture.pages(
                #"""
                "name": "production", "basePath": "/pushes", "hosts": "Push.example.com, [::1]:8443", "readOnly": true,
                "databaseURL": "postgresql://pages@db/x", "proxies": "10.0.0.0/8,fd00::1", "userHeader": "X-User"
                """#, at: "0.0.0.0:9470",
                users:
                    #""Ana María": {"may": "look, operate,campaigns , approve", "password": "\#(SettingsFixture.password)"}"#
            )
        ).console
        #expect(console.pages == ListenAddress(host: "0.0.0.0", port: 9470))
        #expect(console.name == "production" && console.basePath == "/pushes" && console.isReadOnly)
        #expect(console.hosts == ["push.example.com", "[::1]:8443"])
        #expect(console.databaseURL == Secret("postgresql://pages@db/x") && console.userHeader == "X-User")
        #expect(console.proxies.map(\.description) == ["10.0.0.0/8", "fd00::1"])
        let ana = try #require(console.users["Ana María"])
        #expect(ana.may == Set(PersonRight.allCases))
        #expect(ana.passwordHash?.matches("password") == true)
    }

    @Test(arguments: [
        (#""pages": "9470""#, "pages"), (#""pages": "127.0.0.1:1,127.0.0.1:2""#, "pages"),
        (#""name": "a\u200bb""#, "name"),
        (#""name": "12345678901234567890123456789012345678901""#, "name"), (#""basePath": "/pushes/""#, "basePath"),
        (#""hosts": "https://x""#, "hosts"), (#""hosts": ["x"]"#, "hosts"), (#""proxies": "proxy""#, "proxies"),
        (#""proxies": "0.0.0.0/0""#, "proxies"), (#""proxies": "::1,""#, "proxies"),
        (#""userHeader": "Host""#, "userHeader"),
        (#""readOnly": "yes""#, "readOnly"), (#""statementSeconds": 0"#, "statementSeconds"),
        (#""statementSeconds": 61"#, "statementSeconds"), (#""users": {"ana": {"may": "all"}}"#, "users.ana.may"),
        (#""users": {"ana": {"may": ["look"]}}"#, "users.ana.may"), (#""users": {"ana": "look"}"#, "users.ana"),
        (#""users": {" ana": {"may": "look"}}"#, "users. ana"), (#""users": {"schedule": {}}"#, "users.schedule"),
        (#""users": {"ana": {"maj": "look"}}"#, "users.ana.maj"), (#""users": {"ana": {}, "ana": {}}"#, "users.ana"),
        (#""databaseURL": "mysql://x""#, "databaseURL"),
    ])
    func aValueThatBreaksItsRuleIsNamed(members: String, key: String) throws {
        let problems = try fixture.problems(#"{"console": {\#(members)}}"#)
        #expect(problems.count == 1 && problems[0].hasPrefix("console.\(key) "), "\(problems)")
    }

    @Test(arguments: [
        "hunter2hunter2", "$scrypt$", "=15,r=8,p=1$D/EEcdfcBkj4DQB3zlfsFQ$v9Xsag5AySIY78DFKslBzeRXCUfsLKCZ0Xm4Xwoh+J0",
        SettingsFixture.password.replacing("ln=15", with: "ln=30"),
    ])
    func aPasswordThatIsNoHashIsWrongAndNotShown(text: String) throws {
        let settings = SettingsFixture.pages(users: #""ana": {"may": "look", "password": "\#(text)"}"#)
        #expect(
            try fixture.problems(settings) == [
                "console.users.ana.password is no hash that can be used (config.json, line 1): must be what fanfare console "
                    + "password prints. Run fanfare console password. A shell and Docker Compose replace what follows a $: "
                    + "write the text in single quotes there, or $$ for each $."
            ])
    }

    @Test(arguments: ["", #""ana": {"may": "look"}"#, #""ana": {"may": "look"}, "bo": {}"#])
    func pagesThatNobodyCouldEnterAreWrong(users: String) throws {
        let text = SettingsFixture.pages(users: users)
        let problems = try fixture.problems(text, unknownKeys: .warn)
        #expect(
            problems == [
                "console.users names nobody who could sign in: console.pages is 127.0.0.1:9470, and nobody enters unnamed. Run "
                    + "fanfare console password, set console.users.NAME.password to what it prints, and "
                    + "console.users.NAME.may to look or more."
            ])
        // Commands that only ask the database, or register hubs, run where no password is.
        for scope in [Settings.Scope.database, .registration] {
            #expect(try fixture.load(text, unknownKeys: .warn, scope: scope).console.pages != nil)
        }
    }

    /// One complaint is enough.
    @Test func aPasswordOfTheWrongKindIsNotMissingToo() throws {
        let problems = try fixture.problems(SettingsFixture.pages(users: #""ana": {"may": "look", "password": 1}"#))
        #expect(problems.count == 1 && problems[0].hasPrefix("console.users.ana.password is a number"), "\(problems)")
    }

    @Test func peopleWhoCannotEnterOrSeeNothingAreOdd() throws {
        let text = SettingsFixture.pages(
            users: #""ana": {"may": "look"}, "bo": {"password": "\#(SettingsFixture.password)"}"#)
        #expect(
            try fixture.problems(text) == [
                "console.users.ana.password is not set: ana cannot sign in without it. Set it to what fanfare console password "
                    + "prints, or remove console.users.ana.",
                "console.users.bo.may is not set: bo sees no page without a right. Set it to one or more of look, operate, "
                    + "campaigns, approve.",
            ])
        for scope in [Settings.Scope.database, .registration] {
            let warnings = try fixture.load(text, unknownKeys: .warn, scope: scope).warnings.map(\.key)
            #expect(warnings == ["console.users.bo.may"])
        }
        #expect(try fixture.problems(#"{"console": {"users": {"ana": {}}}}"#) == [], "the pages are off")
    }

    @Test func aProxyThatNamesPeopleSparesThemPasswords() throws {
        let members = #""proxies": "10.0.0.5", "userHeader": "X-User""#
        let settings = try fixture.load(
            SettingsFixture.pages(members, at: "0.0.0.0:9470", users: #""ana": {"may": "look"}"#))
        #expect(settings.console.users["ana"] == ConsoleUser(may: [.look]))
        #expect(
            try fixture.problems(SettingsFixture.pages(members, users: "")) == [
                "console.users names nobody: people whom console.userHeader names have no rights without an entry. Set "
                    + "console.users.NAME.may."
            ])
    }

    @Test(arguments: ["127.0.0.1", "::1", "10.0.0.5,127.0.0.0/8", "127.5.0.0/16", "64.0.0.0/2"])
    func everyLoginOfTheMachineCouldNameAnybody(proxies: String) throws {
        func warnings(_ members: String) throws -> [String] {
            try fixture.problems(SettingsFixture.pages(members, users: #""ana": {"may": "look"}"#))
        }
        let found = try warnings(#""proxies": "\#(proxies)", "userHeader": "X-User""#)
        #expect(found.count == 1)
        #expect(
            found.first?.hasSuffix(
                "where every login of this machine comes from (config.json, line 1): each of them could name anybody in "
                    + "console.userHeader. Let the proxy come from another address, or leave console.userHeader out where "
                    + "others have a login here.") == true, "\(found)")
        #expect(try warnings(#""proxies": "10.0.0.5", "userHeader": "X-User""#) == [])
    }

    /// As above (Hangfire #1958).
    @Test(arguments: ["0.0.0.0:9470", "[::]:9470", "10.0.0.7:9470", "push.example.com:9470"])
    func pagesThatOthersCanReachNeedAProxy(address: String) throws {
        #expect(
            try fixture.problems(SettingsFixture.pages(at: address)) == [
                "console.pages is \(address), which other machines can reach (config.json, line 1): passwords would cross the "
                    + "network unencrypted: TLS is the work of a proxy in front. Set console.proxies to the address of that proxy, "
                    + "or listen on 127.0.0.1."
            ])
        #expect(try fixture.problems(SettingsFixture.pages(#""proxies": "10.0.0.5""#, at: address)) == [])
        let bad = try fixture.problems(SettingsFixture.pages(#""proxies": ["10.0.0.5"]"#, at: address))
        #expect(bad.count == 1 && bad[0].hasPrefix("console.proxies is a list"), "\(bad)")
    }

    @Test(arguments: ["off", "127.0.0.1:9470"]) func anybodyCouldSendTheHeaderWithoutProxies(pages: String) throws {
        let problems = try fixture.problems(SettingsFixture.pages(#""userHeader": "X-User""#, at: pages))
        #expect(
            problems == [
                "console.userHeader is X-User (config.json, line 1): anybody can send it unless it comes from console.proxies "
                    + "alone. Set console.proxies to the addresses of the proxies that set it, or leave it out."
            ])
    }

    @Test(arguments: [
        ("", "127.0.0.1:9464", "console.listen"), ("", "[::1]:9464", "console.listen"),
        (#""metrics": "127.0.0.1:9470""#, "127.0.0.1:9470", "console.metrics"),
    ])
    func thePagesHaveAPortOfTheirOwn(members: String, address: String, other: String) throws {
        let problems = try fixture.problems(SettingsFixture.pages(members, at: address))
        #expect(
            problems.count == 1
                && problems[0].hasPrefix(
                    "console.pages is \(address) (config.json, line 1): \(other) has that port (127.0.0.1:"),
            "\(problems)")
        #expect(try fixture.problems(SettingsFixture.pages(#""listen": "127.0.0.1:0""#, at: "127.0.0.1:0")) == [])
    }

    /// An approval by two would take them for one.
    @Test(arguments: [("ana", "Ana"), ("ﬁn", "fin"), ("STRASSE", "Strasse")])
    func namesThatMeanOnePersonAreWrong(one: String, other: String) throws {
        let problems = try fixture.problems(
            #"{"console": {"users": {"\#(one)": {"may": "look"}, "\#(other)": {"may": "look"}}}}"#)
        #expect(
            problems.count == 1
                && problems[0].hasSuffix(": names of people ignore case. Remove one, or choose another name."),
            "\(problems)")
    }
}
