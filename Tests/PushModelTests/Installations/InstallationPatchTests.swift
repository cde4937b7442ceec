import Testing

@testable import PushModel

@Suite struct InstallationPatchTests {
    @Test func aPatchReadsBackAsWritten() throws {
        let patch = InstallationPatch([
            .addTag("a"), .removeTag("b"), .init(.replace, "/templates/\"t\"", values: ["{\"body\":\"\u{1}\\\"}"]),
            .init(.add, "/tags", values: ["x", "y"]), .init(.replace, "/tags", values: []),
        ])
        #expect(try InstallationPatch(json: patch.json) == patch)
        #expect(try InstallationPatch(json: InstallationPatch([]).json) == InstallationPatch([]))
    }

    @Test func stepsAreUnescaped() {
        #expect(InstallationPatch.Change(.remove, "/templates/a~1b~01/").steps == ["templates", "a/b~1", ""])
        // A slash and a tilde are marks also where U+0600 or U+0301 makes one character with them.
        let steps = InstallationPatch.Change(.remove, "/tags/\u{301}a\u{600}/\u{600}~1~0\u{301}").steps
        #expect(steps == ["tags", "\u{301}a\u{600}", "\u{600}/~\u{301}"])
    }

    /// The hub would change another template.
    @Test(arguments: ["a/b", "\u{600}/", "/\u{301}", "\u{600}~1", "~\u{301}0", "\u{600}~\u{600}/"])
    func aNameOfATemplateIsOneStep(name: String) throws {
        let patch = try DevicePatch(json: "{\"templates\":{\"\(name)\":null}}").installationPatch
        let steps = try #require(patch.changes.first).steps
        #expect(steps.map { Array($0.utf8) } == [Array("templates".utf8), Array(name.utf8)])
    }

    /// To the hub and the database a letter with its accent is not the same as one in two code points.
    @Test func namesAreToldApartByTheirBytes() throws {
        let first = try DevicePatch(json: "{\"templates\":{\"\u{E9}\":null}}")
        let later = try DevicePatch(json: "{\"templates\":{\"e\u{301}\":null}}")
        #expect(first.followed(by: later).installationPatch.changes.count == 2)
        #expect(first.followed(by: first).installationPatch.changes.count == 1)
    }

    @Test func aHandwrittenPatchIsReadByOtherRules() throws {
        let upper = Array(#"[{"op":"ADD","path":"/tags","value":"x"}]"#.utf8)
        #expect(try InstallationPatch(json: upper, isHandwritten: true) == InstallationPatch([.addTag("x")]))
        #expect(throws: InvalidPatch.self) { try InstallationPatch(json: upper) }
        for json in [
            #"[{"op":"add","path":"/tags","value":["x"]}]"#, #"[{"op":"add","path":"/tags","value":"x","from":"/"}]"#,
        ] {
            #expect(throws: InvalidPatch.self) { try InstallationPatch(json: json.utf8, isHandwritten: true) }
            #expect(try InstallationPatch(json: json.utf8) == InstallationPatch([.addTag("x")]))
        }
        let marked = [0xEF, 0xBB, 0xBF] + Array("[]".utf8)
        #expect(try InstallationPatch(json: marked, isHandwritten: true).changes.isEmpty)
    }
}
