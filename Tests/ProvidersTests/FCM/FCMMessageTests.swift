import Foundation
import PushModel
import Testing
import VectorSupport

@testable import Providers

@Suite struct FCMMessageTests {
    private typealias Object = [String: Any]

    private func body(
        _ content: String, to target: FCMTarget = .token("t"), expiresAt: Double? = nil, validateOnly: Bool = false
    ) throws -> NSDictionary {
        let life = expiresAt.flatMap { FCMMessage.Life(until: $0, now: TestFCM.now) }
        let body = try FCMMessage(Array(content.utf8)).body(to: target, life: life, validateOnly: validateOnly)
        return try TestFCM.object(body)
    }

    private func error(_ content: String) -> InvalidPost? {
        do throws(InvalidPost) {
            _ = try FCMMessage(Array(content.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test func everyValidMessageOfTheVectorsIsTheBody() throws {
        let cases = try Vectors.objects("fcm-apns/fcm-messages", "valid")
        #expect(cases.count == 14)
        for vector in cases {
            let message = try #require(vector["message"] as? Object)
            var payload = message
            let target: FCMTarget
            if let token = payload.removeValue(forKey: "token") as? String {
                target = .token(token)
            } else {
                target = .topic(try #require(payload.removeValue(forKey: "topic") as? String))
            }
            let content = try TestFCM.text(["message": payload])
            #expect(try body(content, to: target) == ["message": message] as NSDictionary, "\(vector["name"] ?? "")")
            let dryRun = try body(content, to: target, validateOnly: true)
            #expect(dryRun == ["message": message, "validate_only": true] as NSDictionary, "\(vector["name"] ?? "")")
        }
    }

    @Test func aPlainMessageIsItsOwnBytesBehindTheToken() throws {
        let content = #"{ "message" : { "data" : {"é": "\u00e9\n\/"} , "n":1.50 } }"#
        let body = try FCMMessage(Array(content.utf8)).body(to: .token("a\"b\\c"), life: nil)
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"message":{"token":"a\"b\\c", "data" : {"é": "\u00e9\n\/"} , "n":1.50 }}"#)
    }

    @Test func everyTargetHasItsName() throws {
        for (target, name, value) in [
            (FCMTarget.token("t"), "token", "t"), (.installation("f"), "fid", "f"), (.topic("news"), "topic", "news"),
            (.condition("'a' in topics"), "condition", "'a' in topics"),
        ] {
            #expect(try body(#"{"message":{}}"#, to: target) == ["message": [name: value]] as NSDictionary)
        }
    }

    @Test func aLifeIsPutWhereTheMessageNamesNone() throws {
        #expect(
            try body(#"{"message":{"notification":{"title":"T"}}}"#, expiresAt: TestFCM.now + 90.9)
                == [
                    "message": [
                        "token": "t", "notification": ["title": "T"], "android": ["ttl": "90s"],
                        "apns": ["headers": ["apns-expiration": "1700000090"]], "webpush": ["headers": ["TTL": "90"]],
                    ]
                ] as NSDictionary)
        let blocks = """
            {"message":{"android":{},"apns":{"payload":{"aps":{"alert":"A"}},"headers":{}},"webpush":{"data":{"k":"v"}}}}
            """
        #expect(
            try body(blocks, expiresAt: TestFCM.now + 60)
                == [
                    "message": [
                        "token": "t", "android": ["ttl": "60s"],
                        "apns": ["payload": ["aps": ["alert": "A"]], "headers": ["apns-expiration": "1700000060"]],
                        "webpush": ["data": ["k": "v"], "headers": ["TTL": "60"]],
                    ]
                ] as NSDictionary)
    }

    @Test func aLifeThatTheMessageNamesStays() throws {
        let content = """
            {"message":{"notification":{},"android":{"ttl":"5s"},"apns":{"headers":{"APNS-Expiration":"7"}},\
            "webpush":{"headers":{"ttl":"9"}}}}
            """
        var expected = try #require(
            JSONSerialization.jsonObject(with: Data(content.utf8)) as? [String: Object])
        expected["message"]?["token"] = "t"
        #expect(try body(content, expiresAt: TestFCM.now + 60) == expected as NSDictionary)
    }

    /// Four weeks are FCM's limit, and no apns-expiration is 0, which means something else.
    @Test(arguments: [
        (0.2, "0s", "1700000000"), (-5.0, "0s", "1699999995"), (2_419_199.5, "2419199s", "1702419199"),
        (2_592_000.0, "2419200s", "1702592000"), (-1.7e9, "0s", "1"),
    ])
    func aLifeHasBounds(seconds: Double, ttl: String, end: String) throws {
        let body = try body(#"{"message":{"notification":{}}}"#, expiresAt: TestFCM.now + seconds)
        let message = try #require(body["message"] as? Object)
        #expect((message["android"] as? Object)?["ttl"] as? String == ttl)
        let headers = try #require((message["apns"] as? Object)?["headers"] as? Object)
        #expect(headers["apns-expiration"] as? String == end)
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300])
    func aLifeThatNeverEndsIsLeftOut(expiry: Double) throws {
        #expect(try body(#"{"message":{}}"#, expiresAt: expiry) == ["message": ["token": "t"]] as NSDictionary)
    }

    private func headers(_ body: NSDictionary) -> [String: String]? {
        ((body["message"] as? Object)?["apns"] as? Object)?["headers"] as? [String: String]
    }

    @Test(arguments: [
        #"{"apns":{"payload":{"aps":{"content-available":1}}}}"#,
        #"{"apns":{"payload":{"aps":{"content-available" : 1 , "category":"c"},"k":1},"headers":{}}}"#,
        #"{"apns":{"headers":{"apns-push-type":"background"},"payload":{"aps":{"content-available":1}}}}"#,
        #"{"data":{"k":"v"},"apns":{"headers":{"apns-collapse-id":"c"}}}"#,
        #"{"data":{"k":"v"},"apns":{}}"#,
    ])
    func aBackgroundPushHasPriorityFive(message: String) throws {
        for expiry in [nil, TestFCM.now + 60] {
            let headers = try #require(try self.headers(body(#"{"message":\#(message)}"#, expiresAt: expiry)))
            #expect(headers["apns-priority"] == "5")
            #expect(headers["apns-expiration"] == expiry.map { _ in "1700000060" })
        }
    }

    @Test(arguments: [
        #"{"apns":{"payload":{"aps":{"content-available":1,"alert":"A"}}}}"#,
        #"{"apns":{"payload":{"aps":{"content-available":0}}}}"#,
        #"{"apns":{"payload":{"aps":{"content-available":10}}}}"#,
        #"{"notification":{"title":"T"},"apns":{"payload":{"aps":{"content-available":1}}}}"#,
        #"{"apns":{"headers":{"apns-push-type":"voip"},"payload":{"aps":{"content-available":1}}}}"#,
        #"{"apns":{"headers":{"apns-priority":"10"},"payload":{"aps":{"content-available":1}}}}"#,
        #"{"data":{"k":"v"},"apns":{"payload":{"aps":{"alert":"A"}}}}"#,
        #"{"apns":{"live_activity_token":"l"}}"#, #"{"android":{"notification":{"title_loc_key":"t"}}}"#,
    ])
    func anyOtherPushKeepsItsPriority(message: String) throws {
        let headers = self.headers(try body(#"{"message":\#(message)}"#, expiresAt: TestFCM.now + 60))
        #expect(headers?["apns-priority"] != "5")
        #expect(headers?["apns-expiration"] == "1700000060")
    }

    /// The block that carries the life would bring FCM's own 10, where FCM chose by itself before.
    @Test func dataAloneIsABackgroundPush() throws {
        #expect(headers(try body(#"{"message":{"data":{}}}"#, expiresAt: TestFCM.now + 60))?["apns-priority"] == "5")
        #expect(headers(try body(#"{"message":{"data":{}}}"#)) == nil)
    }

    @Test func whatStandsBesideTheMessageIsLeftOut() throws {
        let content = #"{"validate_only":true,"message":{"data":{"a":"b"}},"x":[{"message":1}]}"#
        #expect(try body(content) == ["message": ["token": "t", "data": ["a": "b"]]] as NSDictionary)
    }

    @Test func theLastOfTwoMembersCounts() throws {
        #expect(
            try body(#"{"message":{"token":"a"},"message":{"data":{"a":"b"}}}"#)
                == ["message": ["token": "t", "data": ["a": "b"]]] as NSDictionary)
        #expect(error(#"{"message":{},"message":{"topic":"a"}}"#) != nil)
        #expect(error(#"{"message":{},"message":7}"#) != nil)
    }

    @Test(arguments: ["token", "fid", "topic", "condition", #"\u0074oken"#, #"to\u006ben"#])
    func aMessageThatNamesItsTargetIsRefused(name: String) {
        #expect(error(#"{"message":{"data":{},"\#(name)":"x"}}"#)?.description.contains("name the target") == true)
        #expect(error(#"{"message":{"data":{"\#(name)":"x"}}}"#) == nil, "deeper it is the app's")
    }

    /// The rules of rows read one name, and no other may take its place.
    @Test func anotherCaseIsAnotherName() throws {
        #expect(error(#"{"Message":{}}"#) != nil)
        #expect(
            try body(#"{"message":{"data":{"a":"b"},"Token":"x","Android":{}},"MESSAGE":{"data":{}}}"#)
                == ["message": ["token": "t", "data": ["a": "b"], "Token": "x", "Android": [:]]] as NSDictionary)
    }

    @Test(arguments: [
        "", " ", "[]", "7", "{", "{}", #"{"message":}"#, #"{"message":null}"#, #"{"message":[]}"#, #"{"message":"x"}"#,
        #"{"message":{}"#, #"{"message":{}}}"#, #"{"message":{},}"#, #"{"message":{"a":1,}}"#, #"{"message":{"a"}}"#,
        #"{"message":{"a":[}]}}"#, #"{"message":{"a":"\ud800"}}"#, "{\"message\":{\"a\":\"\u{1}\"}}", #"{"data":{}}"#,
        #"{"message":{"a":01}}"#, #"{"message":{"a":tru}}"#,
        #"{"message":{"a":\#(String(repeating: "[", count: 100_000))"#,
    ])
    func whatIsNoMessageIsRefused(content: String) throws {
        let error = try #require(self.error(content))
        #expect(error.description.hasPrefix("content: "))
        guard case .rejected = error.verdict else { return #expect(Bool(false), "\(error.verdict)") }
    }

    /// What is spliced in changes nothing else, whatever the message: compared with the same done to a dictionary.
    @Test func spliceAndDictionaryAgree() throws {
        var random = SeededRandom(seed: 38)
        for _ in 0..<500 {
            let message = Self.message(&random)
            let expiry = Bool.random(using: &random) ? TestFCM.now + Double.random(in: -10...3e6, using: &random) : nil
            let content = try TestFCM.text(["message": message])
            var expected = message
            expected["token"] = "t"
            if let life = expiry.flatMap({ FCMMessage.Life(until: $0, now: TestFCM.now) }) {
                Self.put("\(life.seconds)s", "ttl", in: ["android"], of: &expected)
                Self.put("\(life.end)", "apns-expiration", in: ["apns", "headers"], of: &expected)
                Self.put("\(life.seconds)", "TTL", in: ["webpush", "headers"], of: &expected)
            }
            if Self.isBackground(message), expiry != nil || message["apns"] is Object {
                Self.put("5", "apns-priority", in: ["apns", "headers"], of: &expected)
            }
            #expect(try body(content, expiresAt: expiry) == ["message": expected] as NSDictionary, "\(content)")
        }
    }

    private static func isBackground(_ message: Object) -> Bool {
        let apns = message["apns"] as? Object
        let aps = (apns?["payload"] as? Object)?["aps"] as? Object
        let isVisible = message["notification"] != nil || aps?["alert"] != nil
        return !isVisible && (aps?["content-available"] as? Int == 1 || aps == nil && message["data"] != nil)
    }

    private static func put(_ value: String, _ name: String, in path: [String], of object: inout Object) {
        guard let step = path.first else {
            if object[name] == nil { object[name] = value }
            return
        }
        guard object[step] == nil || object[step] is Object else { return }
        var inner = object[step] as? Object ?? [:]
        put(value, name, in: Array(path.dropFirst()), of: &inner)
        object[step] = inner
    }

    private static func message(_ random: inout SeededRandom) -> Object {
        func maybe(_ random: inout SeededRandom) -> Bool { Bool.random(using: &random) }
        var message: Object = [:]
        if maybe(&random) { message["data"] = ["k": "{\"message\":{\"token\":\"x\"}} ]},\\ é\n"] }
        if maybe(&random) { message["notification"] = ["title": "T"] }
        if maybe(&random) {
            var android: Object = [:]
            if maybe(&random) { android["ttl"] = "3s" }
            if maybe(&random) { android["notification"] = ["title_loc_args": ["a", "]"], "sticky": true] }
            message["android"] = maybe(&random) ? android : [:]
        }
        if maybe(&random) {
            var apns: Object = [:]
            if maybe(&random) {
                var headers = ["apns-collapse-id": "c"]
                if maybe(&random) { headers["apns-expiration"] = "1" }
                if maybe(&random) { headers["apns-priority"] = "10" }
                apns["headers"] = maybe(&random) ? headers : [:]
            }
            if maybe(&random) {
                var aps: Object = [:]
                if maybe(&random) { aps["content-available"] = 1 }
                if maybe(&random) { aps["alert"] = ["loc-args": ["}"], "loc-key": "k"] }
                apns["payload"] = maybe(&random) ? ["aps": aps, "n": [1, 2.5, NSNull(), [:]]] : ["m": 1]
            }
            message["apns"] = apns
        }
        if maybe(&random) {
            message["webpush"] =
                maybe(&random) ? ["headers": maybe(&random) ? ["TTL": "1"] : [:]] : ["data": ["a": "b"]]
        }
        return message
    }
}
