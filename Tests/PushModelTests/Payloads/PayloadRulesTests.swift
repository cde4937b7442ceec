import Foundation
import Testing
import VectorSupport

@testable import PushModel

/// The rules as data: Sources/PushModel/Payloads/*.json.
@Suite struct PayloadRulesTests {
    /// Vectors/native_contents.json holds a case for every rule and every member it names. StoreTests inserts the same
    /// cases, and gets the same words from the database.
    @Test func everyRuleHasACase() throws {
        var seen: [String: Set<String>] = [:]
        for row in try Vectors.objects("native_contents") {
            let isGood = row["ok"] as? Bool == true
            let format = try #require(row["format"] as? String)
            let rules = try #require(PayloadRules.all.formats[format])
            let content = try Self.value(#require(row["content"]))
            let headers = row["headers"] is NSNull ? nil : try Self.value(#require(row["headers"]))
            var context = PayloadContext(
                format: rules, isDirect: row["direct"] as? Bool ?? false, documentBytes: headers?.text.utf8.count)
            if let headers, let broken = PayloadRules.all.firstBroken(in: headers.value, "header", context) {
                seen["header", default: []].insert(Self.name(of: broken.rule, broken.candidate))
                continue
            }
            if case .object(let members) = headers?.value {
                for case (let name, .string(let value)) in members.map({ ($0.name, $0.node.value) }) {
                    context.headers[name.lowercased()] = value
                }
            }
            context.documentBytes = nil
            if !isGood { context.size = (content.text.utf8.count, rules.bytes ?? 0) }
            let broken = PayloadRules.all.firstBroken(in: content.value, format, context, warns: isGood)
            if let broken { seen[format, default: []].insert(Self.name(of: broken.rule, broken.candidate)) }
        }
        for (format, rules) in PayloadRules.all.rules {
            // A list of JSON values holds no name twice; WarningTests of the database has those cases, as text.
            for rule in rules where rule.must != .once {
                for name in Self.names(of: rule) {
                    #expect(seen[format]?.contains(name) == true, "\(format): no case for \(name)")
                }
            }
        }
    }

    @Test func theRuleOfPushTypesHasTheWordsOfTheType() throws {
        let rule = try #require(
            PayloadRules.all.rules["header"]?.first { $0.members == .named(["apns-push-type"]) && $0.must == .equal })
        #expect(Set(rule.words) == Set(ApplePushType.allCases.map(\.rawValue)))
    }

    /// One text for both: bin/generate writes the database's side.
    @Test func theDatabaseHasTheSameRules() throws {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
        let sql = try String(
            contentsOf: root.appending(path: "migrations/functions/rules/payload_rules.sql"), encoding: .utf8)
        let files = try ["apple", "fcm", "other"].map { name in
            try String(contentsOf: root.appending(path: "Sources/PushModel/Payloads/\(name).json"), encoding: .utf8)
        }
        let documents = sql.components(separatedBy: "$rules$").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        #expect(documents == files.map { "\n" + $0 }, "bin/generate writes payload_rules.sql")
    }

    /// A rule of strings and lists is one per member.
    private static func names(of rule: PayloadRule) -> [String] {
        let start = rule.at.joined(separator: ".")
        return switch rule.members {
        case .none: ["\(start) must \(rule.must.rawValue) \(rule.words)"]
        case .each: ["\(start).* must \(rule.must.rawValue) \(rule.words)\(rule.platform?.rawValue ?? "")"]
        case .named(let names): names.map { "\(start).\($0) must \(rule.must.rawValue) \(rule.words)" }
        }
    }

    private static func name(of rule: PayloadRule, _ candidate: PayloadRule.Candidate) -> String {
        guard case .named(let names) = rule.members,
            let name = candidate.name, let index = names.firstIndex(of: name) ?? names.firstIndex(of: name.lowercased())
        else { return names(of: rule)[0] }
        return self.names(of: rule)[index]
    }

    private static func value(_ json: Any) throws -> (value: JSONValue, text: String) {
        let data = try JSONSerialization.data(
            withJSONObject: json, options: [.fragmentsAllowed, .withoutEscapingSlashes])
        return (try JSONNode(Array(data)).value, String(decoding: data, as: UTF8.self))
    }

    @Test func everyRuleSaysWhatIsWrongAndHowToFixIt() {
        for rule in PayloadRules.all.rules.values.joined() {
            #expect(!rule.wrong.isEmpty && !rule.hint.isEmpty && rule.hint.last == ".", "\(rule)")
        }
    }

    @Test func everyWordIsUsed() {
        let used = Set(PayloadRules.all.rules.values.joined().map(\.must))
        #expect(used == Set(PayloadRule.Must.allCases))
    }

    @Test func noPlaceholderIsLeft() throws {
        for row in try Vectors.objects("native_contents") where row["ok"] as? Bool == false {
            let format = try #require(row["format"] as? String)
            let headers = row["headers"] is NSNull ? nil : try Self.value(#require(row["headers"])).text
            let message = Message.of(
                1, content: try Self.value(#require(row["content"])).text, format: format, headers: headers)
            let text = Plan([message], for: .news, now: 0).refusals.first?.text ?? ""
            for word in [
                "at", "above", "beside", "type", "bytes", "limit", "words", "format", "headers", "apple", "meant",
            ] {
                #expect(!text.contains("{\(word)}"), "\(text)")
            }
        }
    }

    @Test(arguments: [
        ("titleLocKey", "title-loc-key", "title_loc_key"), ("SUBTITLE_LOC_ARGS", "subtitle-loc-args", nil),
        ("bodyLocKey", "loc-key", "body_loc_key"), ("loc-args", "loc-args", "body_loc_args"),
        ("title-loc-\u{212A}ey", nil, nil),
        ("titleloc", nil, nil), ("", nil, nil),
    ]) func aKeyHasOneSpellingForEachPlatform(name: String, apple: String?, android: String?) {
        #expect(PayloadName(name)?.apple == apple)
        #expect(PayloadName(name)?.android == android)
    }

    @Test(arguments: [
        ("apple", "APNS-Topic", true), ("apple", "apns-", false), ("apple", "apns-a1", false), ("fcmv1", "", false),
        ("apple", "X-WNS-Type", false), ("windows", "x-wns-tag", true), ("template", "X-NotificationClass", true),
        ("browser", "Auth", false),
    ]) func aFormatAllowsItsOwnHeaders(format: String, header: String, isAllowed: Bool) throws {
        let rules = try #require(PayloadRules.all.formats[format])
        #expect(rules.allows(header, isDirect: false) == isAllowed)
    }
}
