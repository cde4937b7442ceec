import Foundation
import ProgramSupport
import Signing
import Testing

/// `fanfare console password`, through a pipe and at a terminal.
@Suite(.timeLimit(.minutes(10))) struct MakePasswordTests {
    private let fanfare = BuiltProgram(settings: nil)

    @Test func aLineOfStandardInputBecomesWhatTheSettingsKeep() async throws {
        let ended = try await fanfare("console", "password", input: "correct horse\n")
        #expect(ended.status == 0, "\(ended)")
        let lines = ended.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 2 && lines[1].isEmpty)
        #expect(PasswordHash(String(lines[0]))?.matches("correct horse") == true)
        #expect(ended.errors.contains("console.users.NAME.password") && ended.errors.split(separator: "\n").count == 1)

        let again = try await fanfare("console", "password", "--json", input: "correct horse")
        let hash = try #require(try again.json([String: String].self)["hash"])
        #expect(PasswordHash(hash)?.matches("correct horse") == true && hash != lines[0])
        #expect(again.errors.isEmpty)
    }

    @Test(arguments: ["", "\n", "short\n", "correct horse\nbattery staple\n"])
    func whatIsNoPasswordIsRefused(input: String) async throws {
        let ended = try await fanfare("console", "password", input: input)
        #expect(ended.status == 65 && ended.output.isEmpty, "\(ended)")
        #expect(
            ended.errors.hasPrefix("fanfare: password refused: it ") || ended.errors.contains("more than one line"),
            "\(ended)")
    }

    /// The hash is what it says it is: the settings take it.
    @Test func theSettingsTakeWhatItPrints() async throws {
        let site = try Site(url: "postgresql://localhost/x")
        let hash = try await fanfare("console", "password", input: "correct horse").output.dropLast()
        let console =
            #""console": {"pages": "127.0.0.1:9470", "users": {"Ana M.": {"may": "look", "password": "\#(hash)"}}}, "#
        let settings = Site.settings(url: site.url).replacing(#"{"database""#, with: "{\(console)\"database\"")
        try site.scratch.write(settings, to: "config.json")
        let check = try await site.fanfare("config", "check")
        #expect(check.status == 0, "\(check)")
        let printed = try await site.fanfare("config", "print").output
        #expect(printed.contains("console.users.Ana M..password") && !printed.contains("scrypt"), "\(printed)")
    }

    @Test func pagesThatNobodyCouldEnterDoNotPass() async throws {
        let site = try Site(url: "postgresql://localhost/x")
        let console = #""console": {"pages": "127.0.0.1:9470", "users": {"ana": {"may": "look", "password": "x"}}}, "#
        let settings = Site.settings(url: site.url).replacing(#"{"database""#, with: "{\(console)\"database\"")
        try site.scratch.write(settings, to: "config.json")
        let check = try await site.fanfare("config", "check")
        #expect(check.status == 78)
        #expect(
            check.errors.contains("fanfare: console.users.ana.password: is no hash that can be used")
                && check.errors.contains("hint: Run fanfare console password."), "\(check)")
    }

    // MARK: - A terminal

    @Test func aTerminalIsAskedTwiceAndShowsNothing() async throws {
        let ended = try await Dialogue.run(fanfare, typing: ["correct horse\n", "correct horse\n"])
        #expect(ended.status == 0, "\(ended)")
        #expect(PasswordHash(String(ended.output.dropLast()))?.matches("correct horse") == true)
        #expect(ended.shown.contains("Password: ") && ended.shown.contains("Once more: "))
        #expect(!ended.shown.contains("horse"), "\(ended)")
        #expect(ended.echoes, "the terminal is as it was")
    }

    @Test func twoThatAreNotTheSameAreRefused() async throws {
        let ended = try await Dialogue.run(fanfare, typing: ["correct horse\n", "correct house\n"])
        #expect(
            ended.status == 65 && ended.output.isEmpty && ended.shown.contains("the two are not the same"), "\(ended)")
        #expect(ended.echoes)
    }

    /// Ctrl-C must not leave a terminal that shows nothing.
    @Test func aSignalGivesTheTerminalBack() async throws {
        let ended = try await Dialogue.run(fanfare, typing: ["half\u{3}"])
        #expect(ended.status == 130 && ended.output.isEmpty, "\(ended)")
        #expect(ended.echoes)
    }
}
