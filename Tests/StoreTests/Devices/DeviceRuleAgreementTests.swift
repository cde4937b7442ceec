import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// The database and PushModel read the same texts as JSON, XML and tags of a device: a change that was taken is never refused
/// later because it cannot be read.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DeviceRuleAgreementTests {
    @Test(arguments: [UInt64(1), 2, 3]) func randomJSONIsJudgedAlike(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let parts = [
            "{", "}", "[", "]", ",", ":", "\"a\"", "\"\"", "1", "-0.5e+3", "01", "-", "true", "null", "tru", " ", "\n",
            #""\u00e9""#, #""\ud83d\ude00""#, #""\ud83d""#, #""\ude00\ud83d""#, #""\u0000""#, #""\\u0000""#, #""\x""#,
            "\"é\"", "\"\u{7F}\"", "\"\t\"", "\u{A0}", "'a'", "/**/", "\u{FEFF}",
        ]
        var texts = (0..<1500).map { _ in
            (0..<Int.random(in: 0...6, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
        }
        texts += (0..<1500).map { _ in Self.json(&random, depth: 0) }
        for depth in [63, 64, 65, 128, 129] {
            for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[\"]\",{\"[\":", "}]")] {
                let levels = open.count > 6 ? depth / 2 : depth
                texts.append(String(repeating: open, count: levels) + "1" + String(repeating: close, count: levels))
            }
        }
        let good = texts.map { text in (try? JSONNode(Array(text.utf8))).map { !Self.holdsNUL($0.value) } ?? false }
        #expect(good.contains(true) && good.contains(false))
        try await expectAgreement(texts, good, "push_internal.wrong_json(t) IS NULL")
    }

    /// Mostly well-formed.
    private static func json(_ random: inout SeededRandom, depth: Int) -> String {
        if Int.random(in: 0..<40, using: &random) == 0 {
            return [",", "\"", "", "]"].randomElement(using: &random) ?? ""
        }
        let count = Int.random(in: 0...2, using: &random)
        switch depth > 4 ? 0 : Int.random(in: 0...3, using: &random) {
        case 0: return ["1", "\"a\"", "true", "null", #""\"[{\\""#, "0.0"].randomElement(using: &random) ?? ""
        case 1: return "[" + (0..<count).map { _ in json(&random, depth: depth + 1) }.joined(separator: ", ") + "]"
        default:
            return "{" + (0..<count).map { "\"k\($0)\": " + json(&random, depth: depth + 1) }.joined(separator: ",")
                + "}"
        }
    }

    private static func holdsNUL(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): text.utf8.contains(0)
        case .array(let nodes): nodes.contains { holdsNUL($0.value) }
        case .object(let members): members.contains { $0.name.utf8.contains(0) || holdsNUL($0.node.value) }
        case .number, .bool, .null: false
        }
    }

    @Test(arguments: [UInt64(1), 2, 3]) func randomXMLIsJudgedAlike(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let parts = [
            "<a>", "</a>", "<b/>", "<b c='d'/>", "<b c=\"d\" e='$(f)'>", "</b>", "<b c='1' c='2'/>", "text", "$(x)",
            "&amp;", "&lt;", "&#233;", "&#x1F600;", "&#0;", "&nbsp;", "&", "<", ">", "<!-- c -->", "<!-- a -- b -->",
            "<![CDATA[<x>&]]>", "]]>", "<?p q?>", " ", "\n", "é", "😀", "<a", "b>", "{'Hi ' + $(n)}", "<toast>",
            "</toast>",
        ]
        let texts = (0..<3000).map { _ in
            let inner = (0..<Int.random(in: 0...5, using: &random)).map { _ in parts.randomElement(using: &random) ?? ""
            }
            return Int.random(in: 0...3, using: &random) == 0 ? inner.joined() : "<toast>" + inner.joined() + "</toast>"
        }
        let good = texts.map { XMLOutline($0) != nil }
        #expect(good.contains(true) && good.contains(false))
        try await expectAgreement(texts, good, "push_internal.wrong_xml(t) IS NULL")
    }

    @Test(arguments: [UInt64(1), 2]) func randomTagsAreJudgedAlike(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let parts = [
            "a", "B", "0", "_", "@", "#", ".", ":", "-", "$UserId:{", "$InstallationId:{", "}", "{", "=", "$", " ", ",",
            "é",
            "\n", "x/y", String(repeating: "t", count: 40), String(repeating: "t", count: 110),
        ]
        let texts = (0..<3000).map { _ in
            (0..<Int.random(in: 0...4, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
        }
        let good = texts.map { (try? Tag($0)) != nil }
        #expect(good.contains(true) && good.contains(false))
        try await expectAgreement(
            texts, good,
            "push_internal.is_usual_tags(ARRAY[t]) OR push_internal.wrong_device_tags(ARRAY[t], 'tags') IS NULL")
        try await expectAgreement(texts, good, "push_internal.wrong_device_tags(ARRAY[t], 'tags') IS NULL")
        // With others around it, the short path sees all of them together.
        try await expectAgreement(
            texts, good,
            "push_internal.is_usual_tags(ARRAY['a', t, 'b']) OR push_internal.wrong_device_tags(ARRAY['a', t, 'b'], 'tags') IS NULL"
        )
    }

    private func expectAgreement(_ texts: [String], _ good: [Bool], _ condition: String) async throws {
        let test = try await TestDatabase.make()
        let taken = try await test.database.query("SELECT \(raw: condition) FROM unnest(\(texts)) t") { rows in
            try rows.map { row in try row.bool() }
        }
        #expect(taken.count == texts.count)
        for (text, (taken, good)) in zip(texts, zip(taken, good)) where taken != good {
            Issue.record("\(text.prefix(200).debugDescription) is \(taken ? "taken" : "refused") by the database")
        }
    }
}
