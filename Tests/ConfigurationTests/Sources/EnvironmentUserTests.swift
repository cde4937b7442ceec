import PushModel
import Signing
import Testing

@testable import Configuration

/// People in variables and credential files.
@Suite struct EnvironmentUserTests {
    let fixture: SettingsFixture

    init() throws { fixture = try SettingsFixture() }

    @Test func variablesMakeAPersonWithoutAFile() throws {
        let settings = try fixture.load(
            "{}",
            environment: [
                "FANFARE_CONSOLE_PAGES": "127.0.0.1:9470", "FANFARE_CONSOLE_USERS_ANA_MAY": "look,approve",
                "FANFARE_CONSOLE_USERS_ANA_PASSWORD": SettingsFixture.password,
                "FANFARE_CONSOLE_USERS_BO_B_MAY": "look",
                "FANFARE_CONSOLE_USERS_BO_B_PASSWORD": SettingsFixture.password,
            ])
        #expect(settings.console.users.keys.sorted() == ["ana", "bo_b"])
        #expect(settings.console.users["ana"]?.may == [.look, .approve])
        #expect(settings.console.users["ana"]?.passwordHash?.matches("password") == true)
    }

    @Test func aVariableIsOfThePersonOfTheFile() throws {
        let settings = try fixture.load(
            #"{"console": {"users": {"Ana.María@example.com": {"may": "look"}}}}"#,
            environment: ["FANFARE_CONSOLE_USERS_ANA_MARÍA_EXAMPLE_COM_MAY": "approve"])
        #expect(settings.console.users == ["Ana.María@example.com": ConsoleUser(may: [.approve])])
    }

    @Test func wordsOfANameMayBeWrittenTogether() throws {
        let settings = try fixture.load(
            #"{"console": {"users": {"AnaMaria": {"may": "look"}}}}"#,
            environment: ["FANFARE_CONSOLE_USERS_ANAMARIA_MAY": "approve"])
        #expect(settings.console.users == ["AnaMaria": ConsoleUser(may: [.approve])])
    }

    @Test func aCredentialFileIsAPassword() throws {
        try fixture.write(SettingsFixture.password + "\n", to: "secrets/console-users-ana_b-password")
        let settings = try fixture.load(#"{"console": {"users": {"ana b": {"may": "look"}}}}"#)
        #expect(settings.console.users["ana b"]?.password == Secret(SettingsFixture.password))
    }

    @Test func anOptionMayNameAPerson() throws {
        let settings = try fixture.load("{}", overrides: ["console.users.ana.b@example.com.may": "look"])
        #expect(settings.console.users == ["ana.b@example.com": ConsoleUser(may: [.look])])
        let error = #expect(throws: SettingsError.self) {
            try fixture.load("{}", overrides: ["console.users.schedule.may": "look"])
        }
        #expect(error?.problems.map(\.key) == ["console.users.schedule"])
    }

    /// A misspelt name must not be one more person.
    @Test func aPasswordAloneMakesNobody() throws {
        let text = #"{"console": {"users": {"ana": {"may": "look"}}}}"#
        let settings = try fixture.load(
            text, environment: ["FANFARE_CONSOLE_USERS_AN_PASSWORD": SettingsFixture.password], unknownKeys: .warn)
        #expect(settings.console.users.keys.sorted() == ["ana"])
        #expect(settings.warnings.map(\.remedy) == ["Did you mean FANFARE_CONSOLE_USERS_ANA_PASSWORD"])
        try fixture.write(SettingsFixture.password, to: "secrets/console-users-an-password")
        #expect(
            try fixture.load(text, unknownKeys: .warn).warnings.map(\.remedy) == [
                "Did you mean \"console-users-ana-password\""
            ])
    }

    @Test func namesWithOneVariableAreOdd() throws {
        #expect(
            try fixture.problems(#"{"console": {"users": {"a-b": {"may": "look"}, "a b": {"may": "look"}}}}"#) == [
                "console.users has a b and a-b: they share the variables FANFARE_CONSOLE_USERS_A_B_…, and perhaps a "
                    + "credential file. Rename one to set them apart."
            ])
    }
}
