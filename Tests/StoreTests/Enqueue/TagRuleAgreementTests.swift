import Foundation
import Postgres
import PushModel
import Store
import TestSupport
import Testing
import VectorSupport

/// The table and `TagExpression` accept the same tags: an enqueued row is never refused for its tag later, and no row is
/// refused that could be sent.
@Suite(.serialized, .timeLimit(.minutes(10))) struct TagRuleAgreementTests {
    @Test func theVectorsAreJudgedAlike() async throws {
        let store = try await StoreFixture.make()
        let texts = try Self.vectors()
        #expect(texts.count > 30)
        try await expectAgreement(texts, store)
    }

    @Test func limitsOfCountLengthAndDepthAgree() async throws {
        let store = try await StoreFixture.make()
        let tag = String(repeating: "t", count: 120)
        func joined(_ n: Int, _ sign: String) -> String { (1...n).map { "t\($0)" }.joined(separator: sign) }
        func nested(_ n: Int, _ open: String, _ close: String) -> String {
            String(repeating: open, count: n) + "a" + String(repeating: close, count: n)
        }
        var texts = [
            tag, tag + "t", "!" + tag, "!" + tag + "t", "$UserId:{" + tag.dropLast(10) + "}",
            "$UserId:{" + tag.dropLast(9) + "}",
        ]
        for n in [6, 7, 20, 21] {
            texts += [joined(n, "||"), joined(n, "&&"), "!" + joined(n, "||"), joined(n, "||") + "||!x"]
        }
        for n in 31...34 {
            texts += [nested(n, "(", ")"), nested(n, "!", ""), nested(n, "!(", ")"), nested(n, "(", ")") + "&&!!b"]
        }
        for n in 15...18 {
            texts += [nested(n, "!(", ")"), nested(n, "(!", ")"), "(" + nested(n, "!(", ")") + ")||!(!b)"]
        }
        texts += [4095, 4096, 4097].map { "a" + String(repeating: " ", count: $0 - 2) + "b" }
        texts += [4095, 4096, 4097].map { "a" + String(repeating: " ", count: $0 - 1) }
        texts += [
            "", " ", "\t", "\n", "\u{A0}", "a\tb", "a\t||\r\nb", "a\r\nX-Header: b", "a ||\r\nX-Header:b",
            "a\n", "\ra", "a ||\u{1B}[2Jb", "a ||\0b".replacing("\0", with: "\u{1}"), "a\u{85}||b", "a\u{2028}||b",
            "\u{B}a", "a\u{C}", "\u{7F}",
            "naïve", "日本", "a;b",
        ]
        try await expectAgreement(texts, store)
    }

    @Test(arguments: [UInt64(1), 2, 3]) func randomTextsAreJudgedAlike(seed: UInt64) async throws {
        let store = try await StoreFixture.make()
        var random = SeededRandom(seed: seed)
        let parts = [
            "a", "b", "Tag_1", "x:y", "||", "&&", "||", "&&", "!", "(", ")", " ", "\t", "\n", "|", "&", "$UserId:{u}",
            "$InstallationId:{1-2}", "$UserId:{}", "$", "{", "}", ",", "\"", "'", "é", "=", "#", "@", "or", "\u{B}",
        ]
        let random1 = (0..<1500).map { _ in
            (0..<Int.random(in: 0...9, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
        }
        let random2 = (0..<1500).map { _ in Self.expression(&random, depth: 0) }
        #expect(random2.contains { (try? TagExpression($0)) != nil })
        #expect(random2.contains { (try? TagExpression($0)) == nil })
        try await expectAgreement(random1 + random2, store)
    }

    /// Mostly well-formed; sometimes a part is missing.
    private static func expression(_ random: inout SeededRandom, depth: Int) -> String {
        let space = ["", "", " ", "\t "].randomElement(using: &random) ?? ""
        if Int.random(in: 0..<60, using: &random) == 0 { return space }
        switch depth > 5 ? 0 : Int.random(in: 0..<6, using: &random) {
        case 0, 1: return space + "t\(Int.random(in: 1...99, using: &random))" + space
        case 2: return "!" + space + expression(&random, depth: depth + 1)
        case 3: return "(" + expression(&random, depth: depth + 1) + ")"
        case 4: return expression(&random, depth: depth + 1) + "||" + expression(&random, depth: depth + 1)
        default: return expression(&random, depth: depth + 1) + "&&" + expression(&random, depth: depth + 1)
        }
    }

    /// Compares with the CHECKs of the table, including their short path for a plain tag.
    private func expectAgreement(_ texts: [String], _ store: StoreFixture) async throws {
        try await store.database.script(
            """
            CREATE FUNCTION public.takes(tag text) RETURNS boolean LANGUAGE plpgsql AS $$
            BEGIN
                INSERT INTO push.message (hub, tag, content) VALUES ('news', $1, '{}');
                RETURN true;
            EXCEPTION WHEN check_violation THEN
                RETURN false;
            END $$
            """)
        let taken = try await store.database.query("SELECT public.takes(t) FROM unnest(\(texts)) t") { rows in
            try rows.map { row in try row.bool() }
        }
        for (text, taken) in zip(texts, taken) {
            let good = (try? TagExpression(text)) != nil  // only whether it is valid, not which rule it breaks
            #expect(taken == good, "\(text.debugDescription) is \(taken ? "taken" : "refused") by the table")
        }
    }

    private static func vectors() throws -> [String] {
        struct Tags: Decodable {
            struct Invalid: Decodable { let tag: String }
            let valid: [String], invalid: [Invalid], unicodeUndecided: [String]
        }
        struct Expressions: Decodable {
            struct Case: Decodable { let expression: String }
            let valid: [Case], invalid: [Case]
        }
        let tags = try Vectors.read("tags", as: Tags.self)
        let expressions = try Vectors.read("tag_expressions", as: Expressions.self)
        return tags.valid + tags.invalid.map(\.tag) + tags.unicodeUndecided
            + (expressions.valid + expressions.invalid).map(\.expression)
    }

    /// The INSERT warns of the same expressions as `fanfare tag check` and the emulator.
    @Test(arguments: [UInt64(4), 5]) func randomExpressionsAreFoundOddAlike(seed: UInt64) async throws {
        let store = try await StoreFixture.make()
        var random = SeededRandom(seed: seed)
        var texts = [
            "a && !a", "a || !a", "!a", "a", "and", "a || b", "!(a && !a)", "a && (!A || b) && !b", "x || not",
            "nots && !nota",
        ]
        while texts.count < 400 {
            let text = Self.expression(&random, depth: 2).replacing("\t", with: " ")
                .replacing(#/t([0-9]+)/#) { "t\(Int($0.1).map { $0 % 3 } ?? 0)" }
            if (try? TagExpression(text)) != nil { texts.append(text) }
        }
        let found = try await store.database.query(
            "SELECT coalesce(push_internal.odd_tag(t), '') FROM unnest(\(texts)) WITH ORDINALITY t(t, n) ORDER BY n"
        ) { rows in try rows.map { row in try row.string() } }
        for (text, odd) in zip(texts, found) {
            let remark = try TagExpression(text).remarks.first
            let expected =
                switch remark {
                case .word: "word tag"
                case .matchesNobody: "impossible tags"
                case .matchesEverybody: "tags of everybody"
                case nil: ""
                }
            #expect(odd == expected, "\(text)")
        }
        #expect(Set(found).count == 4)
    }
}
