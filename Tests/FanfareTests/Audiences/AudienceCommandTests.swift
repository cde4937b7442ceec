import Foundation
import ProgramSupport
import Testing

/// What the commands say about files that they cannot use.
@Suite struct AudienceCommandTests {
    @Test func aListThatIsThereTakesReplaceOrMerge() async throws {
        let site = try await Site.make()
        func load(_ text: String, _ more: String...) async throws -> BuiltProgram.Ended {
            try await site.fanfare.run(["campaign", "audience", "load", "beta", "--file", "-"] + more, input: text)
        }
        #expect(try await load("key,tag\n1,a\n2,b\n").output == "list beta has 2 recipients\n")
        let refused = try await load("key,tag\n1,a\n")
        #expect(refused.status == 65, "\(refused)")
        #expect(refused.errors.contains("--replace or --merge"), "\(refused.errors)")
        #expect(try await load("key,tag\n3,c\n", "--merge").output == "list beta has 3 recipients\n")
        #expect(try await load("key,tag\n3,c\n", "--replace").output == "list beta has 1 recipient\n")
        #expect(try await load("key,tag\n3,c\n", "--replace", "--merge").status == 64)
        let rest = try await load("key,tag\n3,c\n4,d d\n4,e\n3,f\n", "--replace", "--leave-out-bad")
        #expect(rest.output == "list beta has 2 recipients, 2 bad lines were left out\n", "\(rest)")
        let bad = try await load("key,tag\n3,c\n4,d d\n3,f\n", "--replace")
        #expect(
            bad.status == 65 && bad.errors.contains("standard input, line 4: the key \"3\" stands in line 2"), "\(bad)")
        #expect(
            try await site.number(
                "SELECT count(*) FROM push.list l JOIN push.list_member m ON m.list = l.id WHERE l.replaced_by IS NULL")
                == 2)
    }

    @Test func whatCannotBeSuppressedIsRefusedAndOneValueCanBeAskedFor() async throws {
        let site = try await Site.make()
        let refused = try await site.fanfare("suppress", "add", "tag", "user 43")
        #expect(refused.status == 65 && refused.errors.contains(#""user 43" is not one tag"#), "\(refused)")
        #expect(try await site.fanfare("suppress", "add", "key", "7", "--until", "2020-01-01").status == 65)
        #expect(try await site.fanfare("suppress", "add", "tag", "user:42", "--reason", "asked").status == 0)
        let found = try await site.fanfare("suppress", "list", "--what", "tag", "--value", "user:42")
        #expect(found.output.contains("asked"), "\(found)")
        let json = try await site.fanfare("suppress", "list", "--value", "user:42", "--json")
        #expect(json.output.contains(#""reason": "asked""#), "\(json)")
        let other = try await site.fanfare("suppress", "list", "--what", "key", "--value", "user:42")
        #expect(other.output == "it is not suppressed\n")
    }

    @Test func brokenJSONIsNamedWithItsPlace() async throws {
        let site = try await Site.make()
        let spec = try site.scratch.write("{\n  \"hubs\": [\"news\"],\n}", to: "spec.json")
        let created = try await site.fanfare("campaign", "create", "x", "--file", spec)
        #expect(created.status == 65, "\(created)")
        #expect(created.errors.contains("spec.json, line 3, column 1: it is not JSON: "), "\(created.errors)")
        let nul = try site.scratch.write(#"{"a": "\\u0000 \u0000"}"#, to: "nul.json")
        let run = try await site.fanfare(
            "campaign", "run", "x", "--key", "1", "--hub", "news", "--tag", "A", "--content", "en=@\(nul)")
        #expect(run.errors.contains("nul.json, line 1, column 16: \\u0000 is the character NUL"), "\(run.errors)")
        let typed = try await site.fanfare("enqueue", "--hub", "news", "--tag", "A", "--content", #"{"a" "b"}"#)
        #expect(typed.errors.contains("--content, line 1, column 6: it is not JSON: "), "\(typed.errors)")
        #expect(typed.errors.contains("hint: A content looks like"))
    }
}
