import Testing

@testable import Configuration

@Suite struct SettingsChangesTests {
    private let fixture: SettingsFixture

    init() throws { fixture = try SettingsFixture() }

    private func changes(_ one: String, _ other: String) throws -> Settings.Changes {
        try fixture.load(one).changes(to: fixture.load(other))
    }

    @Test func anotherSourceOfAValueIsNoChange() throws {
        let one = try fixture.load(SettingsFixture.hub(""))
        let other = try fixture.load(
            "\n\n" + SettingsFixture.hub(#""window": 64"#), environment: ["FANFARE_DISPATCH_BATCH": "1000"])
        #expect(one.changes(to: other).isEmpty)
    }

    @Test func everyKeyThatDiffersIsNamed() throws {
        let changes = try changes(
            SettingsFixture.hub(#""languages": {"fr": "French", "en": "English"}, "window": 3"#),
            SettingsFixture.hub(#""languages": {"fr": "Francais", "de": "German"}, "packTags": false"#))
        #expect(
            changes.keys == [
                "hubs.news.packTags", "hubs.news.window", "hubs.news.languages.de", "hubs.news.languages.en",
                "hubs.news.languages.fr",
            ])
        #expect(changes.needsNewWorker && changes.waiting.isEmpty)
    }

    @Test func anotherSecretIsAChange() throws {
        let other = SettingsFixture.connection.replacing("c2VjcmV0a2V5", with: "b3RoZXJrZXk=")
        let changes = try changes(SettingsFixture.hub(""), SettingsFixture.hub("", connection: other))
        #expect(changes.keys == ["hubs.news.connectionString"])
        let password = try self.changes(
            #"{"database": {"url": "postgresql://me:hunter2@db/x"}}"#,
            #"{"database": {"url": "postgresql://me:hunter3@db/x"}}"#)
        #expect(password.keys == ["database.url"] && password.needsNewWorker)
    }

    @Test func addedAndRemovedHubsAreOneKeyEach() throws {
        #expect(try changes("{}", SettingsFixture.hub("")).keys == ["hubs.news"])
        #expect(
            try changes(SettingsFixture.hub(""), SettingsFixture.hub("", name: "mail")).keys == [
                "hubs.mail", "hubs.news",
            ])
    }

    @Test func someKeysNeedARestartAndTheLogLevelNothing() throws {
        let listen = try changes("{}", #"{"console": {"listen": "off"}, "log": {"format": "json"}}"#)
        #expect(listen.waiting == ["console.listen", "log.format"] && !listen.needsNewWorker)
        let metrics = try changes(
            #"{"console": {"metricsToken": "0123456789abcdef"}}"#,
            #"{"console": {"metrics": "[::1]:9465", "metricsToken": "0123456789abcdeF"}}"#)
        #expect(metrics.waiting == ["console.metrics", "console.metricsToken"] && !metrics.needsNewWorker)
        let level = try changes("{}", #"{"log": {"level": "debug"}}"#)
        #expect(level.keys == ["log.level"] && level.waiting.isEmpty && !level.needsNewWorker)
        #expect(try changes("{}", #"{"dispatch": {"slots": 9}, "log": {"level": "debug"}}"#).needsNewWorker)
    }

    /// A person who loses a right loses it at once, and no worker has to begin for it.
    @Test func peopleChangeWithoutANewWorker() throws {
        let changes = try changes(
            SettingsFixture.pages(),
            SettingsFixture.pages(
                #""name": "test", "hosts": "a.example", "proxies": "fd00::1", "userHeader": "X-User", "readOnly": true,"#
                    + #""statementSeconds": 5"#,
                users: #""ana": {"may": "look, operate"}, "bo": {"may": "look"}"#))
        #expect(
            changes.keys == [
                "console.name", "console.hosts", "console.proxies", "console.userHeader", "console.readOnly",
                "console.statementSeconds", "console.users.ana.may", "console.users.ana.password", "console.users.bo",
            ])
        #expect(!changes.needsNewWorker && changes.waiting.isEmpty && changes.refusals.isEmpty)
    }

    @Test func anotherPasswordIsAChange() throws {
        let other = SettingsFixture.pages().replacing("ln=15", with: "ln=14")
        #expect(try changes(SettingsFixture.pages(), other).keys == ["console.users.ana.password"])
    }

    @Test func whereThePagesAreWaitsForARestart() throws {
        let changes = try changes(
            SettingsFixture.pages(),
            SettingsFixture.pages(#""basePath": "/p", "databaseURL": "host=db""#, at: "127.0.0.1:9471"))
        #expect(changes.waiting == ["console.pages", "console.basePath", "console.databaseURL"])
        #expect(changes.keys == changes.waiting && !changes.needsNewWorker)
    }

    /// What waits for the hub was written for the other service.
    @Test func aHubKeepsItsKind() throws {
        let one = try fixture.load(SettingsFixture.hub("", name: "shop"))
        let other = try fixture.load(SettingsFixture.fcm())
        #expect(
            one.changes(to: other).refusals.map(\.description) == [
                "hubs.shop.kind is fcm, and was notification-hubs: a hub keeps its kind: what waits for it was written for "
                    + "that service. Set it back to notification-hubs, and add a hub of another name for fcm."
            ])
        #expect(other.changes(to: one).refusals.map(\.key) == ["hubs.shop.kind"])
        #expect(other.changes(to: try fixture.load(SettingsFixture.fcm(#""window": 9"#))).refusals.isEmpty)
        #expect(try changes("{}", SettingsFixture.fcm()).refusals.isEmpty)
    }

    @Test func anotherAccountIsAChange() throws {
        let changes = try changes(SettingsFixture.fcm(), SettingsFixture.fcm(account: TestAccount.secondary()))
        #expect(changes.keys == ["hubs.shop.serviceAccount"] && changes.needsNewWorker)
    }
}
