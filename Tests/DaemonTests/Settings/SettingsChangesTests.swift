import Testing

@testable import Daemon

@Suite struct SettingsChangesTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func changes(_ one: String, _ other: String) throws -> Settings.Changes {
        try scratch.load(one).changes(to: scratch.load(other))
    }

    @Test func whereAValueComesFromIsNoChange() throws {
        let one = try scratch.load(Scratch.hub(""))
        let other = try scratch.load(
            "\n\n" + Scratch.hub(#""window": 64"#), environment: ["FANFARE_DISPATCH_BATCH": "1000"])
        #expect(one.changes(to: other).isEmpty)
    }

    @Test func everyKeyThatDiffersIsNamed() throws {
        let changes = try changes(
            Scratch.hub(#""languages": {"fr": "French", "en": "English"}, "window": 3"#),
            Scratch.hub(#""languages": {"fr": "Francais", "de": "German"}, "packTags": false"#))
        #expect(
            changes.keys == [
                "hubs.news.packTags", "hubs.news.window", "hubs.news.languages.de", "hubs.news.languages.en",
                "hubs.news.languages.fr",
            ])
        #expect(changes.needsNewShift && changes.waiting.isEmpty)
    }

    @Test func anotherSecretIsAChangeAlthoughNobodySeesIt() throws {
        let other = Scratch.connection.replacing("c2VjcmV0a2V5", with: "b3RoZXJrZXk=")
        let changes = try changes(Scratch.hub(""), Scratch.hub("", connection: other))
        #expect(changes.keys == ["hubs.news.connectionString"])
        let password = try self.changes(
            #"{"database": {"url": "postgresql://me:hunter2@db/x"}}"#,
            #"{"database": {"url": "postgresql://me:hunter3@db/x"}}"#)
        #expect(password.keys == ["database.url"] && password.needsNewShift)
    }

    @Test func hubsThatComeOrGoAreOneKeyEach() throws {
        #expect(try changes("{}", Scratch.hub("")).keys == ["hubs.news"])
        #expect(try changes(Scratch.hub(""), Scratch.hub("", name: "mail")).keys == ["hubs.mail", "hubs.news"])
    }

    @Test func someKeysWaitForARestartAndTheLogLevelNeedsNoNewShift() throws {
        let listen = try changes("{}", #"{"console": {"listen": "off"}, "log": {"format": "json"}}"#)
        #expect(listen.waiting == ["console.listen", "log.format"] && !listen.needsNewShift)
        let level = try changes("{}", #"{"log": {"level": "debug"}}"#)
        #expect(level.keys == ["log.level"] && level.waiting.isEmpty && !level.needsNewShift)
        #expect(try changes("{}", #"{"dispatch": {"slots": 9}, "log": {"level": "debug"}}"#).needsNewShift)
    }
}
