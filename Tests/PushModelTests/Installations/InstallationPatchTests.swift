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
