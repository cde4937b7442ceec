import Foundation
import Postgres
import Store
import TestSupport
import Testing
import VectorSupport

@testable import PushModel

/// The database and the planner judge a native payload alike, and in the same words: what an INSERT took is not refused an
/// hour later, and what it refused could not have been sent. (The shared cases mutated: names misspelt and moved, values
/// exchanged, XML broken.)
@Suite(.serialized, .timeLimit(.minutes(10))) struct PayloadRuleAgreementTests {
    private struct Payload {
        let format: String, content: String, headers: String
    }

    @Test(arguments: [UInt64(1), 2, 3, 4]) func randomPayloadsAreJudgedAlike(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let cases = try Vectors.objects("native_contents").filter { row in
            ["apple", "fcmv1", "windows"].contains(row["format"] as? String)
        }
        let payloads = try (0..<2000).map { _ in
            let row = try #require(cases.randomElement(using: &random))
            let format = try #require(row["format"] as? String)
            var content = try #require(row["content"])
            for _ in 0..<Int.random(in: 0...2, using: &random) { content = Self.mutated(content, &random) }
            return Payload(
                format: format, content: Self.repeated(try Self.text(content), &random),
                headers: Self.headers(for: format, &random))
        }
        let judged = try payloads.map(Self.judged)
        #expect(
            judged.contains("") && judged.contains { $0.hasPrefix("refused") }
                && judged.contains { $0.hasPrefix("odd") })

        let store = try await StoreFixture.make()
        let found = try await store.database.query(
            """
            SELECT CASE WHEN p.message IS NOT NULL
                        THEN 'refused: ' || replace(p.message, 'push.message.content ', '') || ' ' || p.hint
                        ELSE coalesce('odd: ' || replace(push_internal.odd_payload(u.format, u.content::json), E'\\n', ' '), '')
                   END
              FROM unnest(\(payloads.map(\.format)), \(payloads.map(\.content)), \(payloads.map(\.headers)))
                       WITH ORDINALITY u(format, content, headers, n),
                   push_internal.wrong_content(u.format, u.content::json, nullif(u.headers, '')::json, false) p
             ORDER BY u.n
            """
        ) { rows in try rows.map { row in try row.string() } }
        #expect(found.count == payloads.count)
        for (payload, (found, judged)) in zip(payloads, zip(found, judged)) where found != judged {
            Issue.record(
                "\(payload.content.prefix(300)) \(payload.headers): \(found.debugDescription), not \(judged.debugDescription)"
            )
        }
    }

    /// What people write costs one look, not a walk over the rules.
    @Test func whatIsUsualTakesTheShortWay() async throws {
        let store = try await StoreFixture.make()
        let usual = [
            ("apple", #"{"aps":{"alert":"Hello"}}"#, ""),
            (
                "apple",
                #"{"aps": {"alert": {"title": "a", "body": "b"}, "badge": 3, "sound": "default"}, "order": [1, {"x": true}]}"#,
                ""
            ),
            ("apple", #"{"aps":{"alert":{"loc-key":"K","loc-args":["Ann","3"]},"thread-id":"orders"}}"#, ""),
            (
                "apple", #"{"aps":{"alert":"x"}}"#,
                #"{"apns-priority": "10", "apns-push-type": "alert", "apns-collapse-id": "a-1"}"#
            ),
            ("fcmv1", #"{"message":{"notification":{"title":"a","body":"\u00e9"},"data":{"order":"4711"}}}"#, ""),
            (
                "fcmv1",
                ##"{"message":{"data":{"a":"b"},"android":{"priority":"HIGH","ttl":"3600s","notification":{"color":"#ff8800"}},"apns":{"payload":{"aps":{"badge":3}}}}}"##,
                ""
            ),
            ("windows", #""<toast><visual/></toast>""#, ""),
        ]
        let found = try await store.database.query(
            """
            SELECT push_internal.is_usual_payload(u.format, u.content::json, nullif(u.headers, '')::json)
              FROM unnest(\(usual.map(\.0)), \(usual.map(\.1)), \(usual.map(\.2))) WITH ORDINALITY u(format, content, headers, n)
             ORDER BY u.n
            """
        ) { rows in try rows.map { row in try row.bool() } }
        #expect(found == usual.map { _ in true })
    }

    /// What the planner says.
    private static func judged(_ payload: Payload) throws -> String {
        let rules = try #require(PayloadRules.all.formats[payload.format])
        let value = try JSONNode(Array(payload.content.utf8)).value
        var context = PayloadContext(format: rules)
        if !payload.headers.isEmpty, case .object(let members) = try JSONNode(Array(payload.headers.utf8)).value {
            for member in members {
                if case .string(let text) = member.node.value { context.headers[member.name] = text }
            }
        }
        var bytes = payload.content.utf8.count
        if payload.format == "windows", case .string(let text) = value { bytes = text.utf8.count }
        context.size = (
            bytes, try #require(context.headers["apns-push-type"] == "voip" ? rules.callBytes : rules.bytes)
        )
        if let fault = PayloadFault(in: value, rules: payload.format, context) {
            return "refused: \(fault.text) \(fault.hint)"
        }
        context.size = nil
        let odd = PayloadFault(in: value, rules: payload.format, context, warns: true)
        return odd.map { "odd: \($0.text) \($0.hint)" } ?? ""
    }

    private static func headers(for format: String, _ random: inout SeededRandom) -> String {
        let some =
            format == "windows"
            ? [#"{"x-wns-type":"wns/toast"}"#, #"{"x-wns-type":"wns/tile"}"#, #"{"x-wns-type":"wns/raw"}"#]
            : [
                #"{"apns-push-type":"background"}"#, #"{"apns-push-type":"background","apns-priority":"5"}"#,
                #"{"apns-priority":"10"}"#, #"{"apns-push-type":"voip"}"#,
            ]
        // FCM takes none beside its payload.
        return format == "fcmv1" ? "" : Bool.random(using: &random) ? "" : some.randomElement(using: &random) ?? ""
    }

    private static func mutated(_ value: Any, _ random: inout SeededRandom) -> Any {
        switch value {
        case let text as String where text.contains("<"): return broken(text, &random)
        case var object as [String: Any]:
            guard let name = object.keys.sorted().randomElement(using: &random), let member = object[name] else {
                return ["message", "aps", "x"].randomElement(using: &random).map { [$0: value] } ?? value
            }
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                object[name] = nil
                object[misspelt(name, &random)] = member
            case 1: object[strays.randomElement(using: &random) ?? "x"] = member
            case 2: object[name] = [1, "x", true, NSNull(), [String: Any](), ["x"]].randomElement(using: &random)
            default: object[name] = mutated(member, &random)
            }
            return object
        default: return value
        }
    }

    private static let strays = [
        "sound", "badge", "priority", "title", "body", "ttl", "tag", "data", "content-available", "content_available",
        "contentAvailable", "threadId", "fcmOptions", "headers", "mine", "alert", "x", "collapseKey", "é",
    ]

    private static func misspelt(_ name: String, _ random: inout SeededRandom) -> String {
        var letters = Array(name)
        guard letters.count > 1 else { return name + "x" }
        let at = Int.random(in: 0..<letters.count - 1, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: letters.remove(at: at)
        case 1: letters.swapAt(at, at + 1)
        case 2: letters.insert("e", at: at)
        case 3: letters[at] = Character(letters[at].uppercased())
        case 4: return name.replacing("-", with: "_")
        default: return name.replacing("_", with: "-")
        }
        return String(letters)
    }

    private static func broken(_ xml: String, _ random: inout SeededRandom) -> String {
        // The database alone looks into a declaration: what it refuses is not sent.
        let declaration = xml.firstRange(of: "?>").map { xml.distance(from: xml.startIndex, to: $0.upperBound) } ?? 0
        var letters = Array(xml)
        let at = Int.random(in: declaration..<letters.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: letters.remove(at: at)
        case 1: letters.insert(["&", "<", ">", "\"", "x", "/"].randomElement(using: &random) ?? "x", at: at)
        case 2: return xml.replacing("toast", with: "tile")
        default: break
        }
        return String(letters)
    }

    /// Now and then with a name that stands twice.
    private static func repeated(_ text: String, _ random: inout SeededRandom) -> String {
        let names = ["aps", "alert", "title", "badge", "message", "data", "notification"]
        guard Int.random(in: 0..<6, using: &random) == 0, let name = names.randomElement(using: &random),
            let place = text.firstRange(of: "\"\(name)\":")
        else { return text }
        let first = ["1", "\"x\"", "{}"].randomElement(using: &random) ?? "1"
        return text.replacingCharacters(in: place, with: "\"\(name)\":\(first),\"\(name)\":")
    }

    private static func text(_ value: Any) throws -> String {
        String(
            decoding: try JSONSerialization.data(
                withJSONObject: value, options: [.fragmentsAllowed, .withoutEscapingSlashes, .sortedKeys]),
            as: UTF8.self)
    }
}
