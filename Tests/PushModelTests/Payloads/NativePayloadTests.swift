import Foundation
import Testing
import VectorSupport

@testable import PushModel

/// Vectors/native_contents.json: the rules that the database checks too.
@Suite struct NativePayloadTests {
    private struct Case {
        let id: String
        let message: Message
        let isGood: Bool
        /// What a refusal must name.
        let names: String
    }

    private static func cases() throws -> [Case] {
        try Vectors.objects("native_contents").map { row in
            Case(
                id: try #require(row["id"] as? String),
                message: .of(
                    1, content: try text(#require(row["content"])), format: try #require(row["format"] as? String),
                    headers: row["headers"] is NSNull ? nil : try text(#require(row["headers"]))),
                isGood: try #require(row["ok"] as? Bool), names: row["error_contains"] as? String ?? "")
        }
    }

    private static func text(_ json: Any) throws -> String {
        let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .withoutEscapingSlashes]
        return String(decoding: try JSONSerialization.data(withJSONObject: json, options: options), as: UTF8.self)
    }

    @Test func goodContentsAreSentAndBadOnesAreRefusedByName() throws {
        let cases = try Self.cases()
        #expect(cases.count == 784 && cases.count { !$0.isGood } == 670)
        for vector in cases {
            let plan = Plan([vector.message], for: .news, now: 0)
            if vector.isGood {
                #expect(plan.posts.count == 1, "\(vector.id): \(plan.refusals)")
            } else {
                let text = plan.refusals.first?.text ?? ""
                #expect(!vector.names.isEmpty && text.contains(vector.names), "\(vector.id): \(text)")
            }
        }
    }

    @Test(arguments: [
        ("apple", 4096, nil), ("apple", 5120, #"{"apns-push-type":"voip"}"#), ("fcmv1", 4096, nil),
        ("windows", 5120, nil),
        ("windows", 5120, #"{"X-WNS-Type":"wns/raw"}"#), ("adm", 6144, nil), ("browser", 4096, nil),
        ("baidu", 4096, nil), ("xiaomi", 4096, nil),
    ])
    func aPayloadAtTheLimitIsSentAndOneByteMoreIsTooLarge(format: String, limit: Int, headers: String?) {
        func plan(_ bytes: Int) -> Plan {
            let frames = [
                "apple": (#"{"aps":{},"x":""#, #""}"#), "fcmv1": (#"{"message":{"data":{"x":""#, #""}}}"#),
                "adm": (#"{"data":{},"x":""#, #""}"#), "windows": (#""<toast>"#, #"</toast>""#),
            ]
            let (start, end) = frames[format] ?? (#"{"x":""#, #""}"#)
            // The quotation marks around XML are not sent.
            let length = bytes - start.utf8.count - end.utf8.count + (format == "windows" ? 2 : 0)
            let content = start + String(repeating: "x", count: length) + end
            return Plan([.of(1, content: content, format: format, headers: headers)], for: .news, now: 0)
        }
        #expect(plan(limit).posts.map(\.body.count) == [limit])
        let refused = plan(limit + 1).refusals
        #expect(refused.map(\.reason) == [.tooLarge])
        #expect(refused[0].text.contains("\(limit + 1) bytes") && refused[0].text.contains("at most \(limit)."))
    }

    @Test func theOrderOfArgumentsIsKeptByteForByte() {
        let content = #"{"aps":{"alert":{"loc-key":"K","loc-args":["b","a","3"," \u00e9"]}}}"#
        #expect(Plan([.of(1, content: content, format: "apple")], for: .news, now: 0).text == content)
    }

    @Test(arguments: [
        ("<toast/>", "wns/toast"), ("<tile>", "wns/tile"), ("\t<badge value='1'/>", "wns/badge"),
        ("<?xml version='1.0'?><!DOCTYPE toast><!-- <tile/> -->\r\n<toast\nlaunch='x'>", "wns/toast"),
        ("<toasty/>", nil), ("<Toast/>", nil), ("<!-- no end", nil), ("<?xml", nil), ("<", nil), ("", nil),
        ("toast", nil),
    ])
    func theRootElementDecidesTheType(xml: String, type: String?) {
        #expect(WindowsPayload.type(of: xml) == type)
    }

    @Test func aTypeSetByTheRowIsKept() {
        let message = Message.of(
            1, content: #""<tile/>""#, format: "windows", headers: #"{"x-wns-type":"wns/tile"}"#)
        #expect(
            Plan([message], for: .news, now: 0).posts.map(\.headers) == [[.init(name: "x-wns-type", value: "wns/tile")]]
        )
    }

    @Test(
        arguments: [
            (#"{"aps":{"content-available":1}}"#, nil, ["apns-priority: 5"]),
            (#"{"aps":{"content-available":1}}"#, "background", ["apns-push-type: background", "apns-priority: 5"]),
            (#"{"aps":{"content-available":1}}"#, "location", ["apns-push-type: location"]),
            (#"{"aps":{"content-available":1,"alert":"x"}}"#, nil, []), (#"{"aps":{"content-available":0}}"#, nil, []),
            (#"{"aps":{"content-available":1,"badge":0}}"#, nil, []), (#"{"aps":{"alert":"x"}}"#, nil, []),
        ] as [(String, String?, [String])])
    func aBackgroundPushHasPriorityFive(content: String, type: String?, headers: [String]) {
        let row = type.map { "{\"apns-push-type\":\"\($0)\"}" }
        let plan = Plan([.of(1, content: content, format: "apple", headers: row)], for: .news, now: 0)
        #expect(plan.posts.map { $0.headers.map { "\($0.name): \($0.value)" } } == [headers])
    }

    @Test func aBackgroundPushOfAnotherPriorityIsRefused() {
        let content = #"{"aps":{"content-available":1}}"#
        let plan = Plan(
            [.of(1, content: content, format: "apple", headers: #"{"apns-priority":"10"}"#)], for: .news, now: 0)
        #expect(
            plan.refusals.map(\.text) == [
                "content: aps only wakes the app, which Apple refuses with priority 10. Set apns-priority to 5."
            ])
    }

    @Test(arguments: [
        (
            #"{"aps":{"alert":{"body-loc-key":"K"}}}"#,
            "content: aps.alert.body-loc-key is unknown to Apple. Write aps.alert.loc-key."
        ),
        (
            #"{"aps":{"alert":{"title-loc-key":"K","title-loc-args":["a",2]}}}"#,
            "content: aps.alert.title-loc-args[1] is a JSON number; arguments are strings. A number is written \"3\"."
        ),
        (
            #"{"aps":{"alert":{"loc-args":["a"]}}}"#,
            "content: aps.alert.loc-args stands without aps.alert.loc-key, whose arguments it lists. "
                + "Add aps.alert.loc-key."
        ),
        (
            #"{"aps":{"alert":{"category":"INVITE"}}}"#,
            "content: aps.alert.category belongs beside the alert. Write aps.category."
        ),
        (
            #"{"aps":{"category":""}}"#,
            "content: aps.category is empty. It names a category that the app registered; leave it out for none."
        ),
        (
            #"{"aps":{"alert":"secret","badge":"secret"}}"#,
            "content: aps.badge is not a whole number from 0. "
                + "Write it without quotation marks; 0 removes the badge."
        ),
        (#"{"aps":{}} x"#, "content: character 12: something follows the end of the text"),
    ])
    func aRefusalSaysWhereAndWhatToWriteInstead(content: String, text: String) {
        let plan = Plan([.of(1, content: content, format: "apple")], for: .news, now: 0)
        #expect(plan.refusals.map(\.text) == [text])
    }

    @Test func aHostileNameIsShownShortened() {
        let name = String(repeating: "x", count: 500) + "\\n"
        let content = "{\"message\":{\"data\":{\"\(name)\":1}}}"
        let text = Plan([.of(1, content: content, format: "fcmv1")], for: .news, now: 0).refusals[0].text
        #expect(text.utf8.count < 160 && text.hasPrefix("content: message.data.\"xxx"))
    }

    @Test func endlessNestingIsRefused() {
        let content = #"{"aps":"# + String(repeating: "[", count: 100_000)
        let shallow = String(content.prefix(4_000))
        #expect(
            Plan([.of(1, content: shallow, format: "apple")], for: .news, now: 0).refusals[0].text
                .contains("nested deeper than 64"))
        #expect(Plan([.of(1, content: content, format: "apple")], for: .news, now: 0).refusals[0].reason == .tooLarge)
    }

    @Test func browserHeadersAreForHandlesOnly() {
        let keys = #"{"Auth":"a","P256DH":"p"}"#
        let byTag = Plan([.of(1, content: "{}", format: "browser", headers: keys)], for: .news, now: 0)
        #expect(
            byTag.refusals.map(\.text) == [
                "headers: Auth is not a header that a message of format browser may set. "
                    + "Format browser takes Auth, P256DH, only with handles."
            ])
        let direct = Plan(
            [.of(1, handles: ["https://push.example/1"], content: "{}", format: "browser", headers: keys)], for: .news,
            now: 0)
        #expect(direct.posts.map(\.headers.count) == [2])
    }
}
