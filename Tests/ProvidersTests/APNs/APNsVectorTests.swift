import Foundation
import HTTPTransport
import PushModel
import Signing
import Testing
import VectorSupport

@testable import Providers

/// The facts of Tests/Vectors/fcm-apns about requests to APNs.
@Suite struct APNsVectorTests {
    /// A row as a backend would write it for the input of a vector.
    private static func post(_ input: [String: Any]) throws -> Post {
        var headers: [(String, String)] = []
        for (name, header) in [
            ("push_type", "apns-push-type"), ("priority", "apns-priority"), ("id", "apns-id"),
            ("expiration", "apns-expiration"), ("collapse_id", "apns-collapse-id"),
        ] where input[name] != nil { headers.append((header, "\(input[name] ?? "")")) }
        var aps: [String: Any] = input["aps"] as? [String: Any] ?? [:]
        for name in ["alert", "category"] { if let value = input[name] { aps[name] = value } }
        if let score = input["relevance_score"] { aps["relevance-score"] = score }
        var payload = try TestFCM.text(["aps": aps])
        if let bytes = input["payload_bytes"] as? Int {
            payload = #"{"aps":{"alert":"\#(String(repeating: "x", count: bytes - 20))"}}"#
            #expect(payload.utf8.count == bytes)
        }
        var expiresAt: Double?
        if let life = input["ttl_s"] as? Double, let now = input["now"] as? Double { expiresAt = now + life }
        return TestAPNs.post(
            to: .handles([input["device_token"] as? String ?? TestAPNs.device]), headers, expiresAt: expiresAt,
            payload: payload)
    }

    private static func apns(_ input: [String: Any]) throws -> APNs {
        let environment: APNsEnvironment = input["environment"] as? String == "development" ? .sandbox : .production
        let port = input["port"] as? Int ?? 443
        return try TestAPNs.apns(
            topic: input["bundle_id"] as? String, environment: environment, endpoint: "\(environment.endpoint):\(port)")
    }

    private static func pass(_ input: [String: Any]) -> Pass {
        input["auth"] as? String == "certificate" ? TestAPNs.certificate : TestAPNs.pass()
    }

    @Test func everyRequestHasTheURLTheHeadersAndThePayload() throws {
        let vectors = try Vectors.objects("fcm-apns/apns-requests", "requests")
        #expect(vectors.count == 5)
        for vector in vectors {
            let name = try #require(vector["name"] as? String)
            let input = try #require(vector["input"] as? [String: Any])
            let expected = try #require(vector["expect"] as? [String: Any])
            let apns = try Self.apns(input)
            let request = try apns.request(for: Self.post(input), id: 7, with: Self.pass(input))
            // Port 443 is that of https, and is not written.
            let url = try #require(expected["url"] as? String).replacing(":443/", with: "/")
            #expect(request.url.replacing(":443/", with: "/") == url, "\(name)")
            guard let headers = expected["headers"] as? [String: String] else { continue }
            #expect(request.method.rawValue == expected["method"] as? String)
            var lines = try TestAPNs.lines(request)
            #expect(lines.removeValue(forKey: "user-agent") == "fanfare/1.2.3")
            if headers["apns-id"] == nil {
                #expect(lines.removeValue(forKey: "apns-id") == PushID(database: TestAPNs.database, post: 7).text)
            }
            let shown = headers.mapValues { $0.replacing("<jwt>", with: "•••") }
            #expect(lines == shown, "\(name)")
            let payload = try #require(expected["payload"] as? NSDictionary)
            #expect(try TestFCM.object(request.body) == payload, "\(name)")
        }
    }

    @Test func everyPushTypeHasTheSuffixOfTheVectors() throws {
        let suffixes = try #require(
            Vectors.object("fcm-apns/apns-requests")["push_type_topic_suffix"] as? [String: Any])
        #expect(Set(suffixes.keys) == Set(ApplePushType.allCases.map(\.rawValue)))
        for type in ApplePushType.allCases {
            // The topic of mdm is that of its certificate.
            #expect(type.topicSuffix == suffixes[type.rawValue] as? String ?? "", "\(type)")
            let request = try TestAPNs.apns().request(
                for: TestAPNs.post([("apns-push-type", type.rawValue)]), id: 1, with: TestAPNs.pass())
            #expect(try TestAPNs.lines(request)["apns-topic"] == "com.example.MyApp" + type.topicSuffix)
        }
        let hosts = try #require(Vectors.object("fcm-apns/apns-requests")["hosts"] as? [String: Any])
        for (environment, name) in [(APNsEnvironment.production, "production"), (.sandbox, "development")] {
            #expect(environment.endpoint == "https://\(hosts[name] as? String ?? "")")
        }
    }

    /// What the trigger and the planner refuse before a post is made: they know more of a payload than its headers need.
    private static let judgedByPlanner = [
        "background_with_alert", "background_without_flag", "relevance_score_2", "payload_aps_key_in_custom",
    ]

    @Test func everyValidationOfTheVectorsHolds() throws {
        let vectors = try Vectors.objects("fcm-apns/apns-requests", "validation")
        #expect(vectors.count == 19)
        var judged = 0
        for vector in vectors {
            let name = try #require(vector["name"] as? String)
            var input = try #require(vector["input"] as? [String: Any])
            // Broadcast channels have a service of their own.
            if input["channel"] != nil || Self.judgedByPlanner.contains(name) { continue }
            input["bundle_id"] = "com.example.MyApp"
            let error = try TestAPNs.error(Self.post(input), at: Self.apns(input), with: Self.pass(input))
            let expected = try #require(vector["expect"] as? String)
            #expect((error?.verdict.kind.name ?? "ok") == expected.prefix { $0 != "," }, "\(name)")
            judged += 1
        }
        #expect(judged == 14)
    }

    /// From a row to the lines of its request, by the rules of today.
    @Test func whatThePlannerTakesIsARequest() throws {
        var hub = HubSettings(name: "ios")
        hub.kind = .notificationHubs
        func plan(_ content: String, headers: String? = nil) -> Plan {
            Plan(
                [
                    Message(
                        id: 1, target: .handles([TestAPNs.device]), content: content, format: "apple", headers: headers,
                        expiresAt: .infinity)
                ], for: hub, now: 0)
        }
        for name in Self.judgedByPlanner.prefix(3) {
            let vector = try #require(
                Vectors.objects("fcm-apns/apns-requests", "validation").first { $0["name"] as? String == name })
            let post = try Self.post(#require(vector["input"] as? [String: Any]))
            let headers = post.headers.map { "\"\($0.name)\":\"\($0.value)\"" }.joined(separator: ",")
            let plan = plan(String(decoding: post.body, as: UTF8.self), headers: "{\(headers)}")
            #expect(plan.posts.isEmpty && plan.refusals.count == 1, "\(name)")
        }
        let cases = try Vectors.objects("fcm-apns/apns-payloads", "cases")
        #expect(cases.count == 9)
        let types = ["background": "background", "widgets": "widgets", "live_activity_end": "liveactivity"]
        for vector in cases {
            let name = try #require(vector["name"] as? String)
            let payload = try #require(vector["payload"] as? NSDictionary)
            let plan = plan(try TestFCM.text(payload))
            #expect(plan.refusals.isEmpty, "\(name)")
            let request = try TestAPNs.apns().request(
                for: #require(plan.posts.first), id: 1, with: TestAPNs.pass())
            #expect(try TestFCM.object(request.body) == payload)
            let lines = try TestAPNs.lines(request)
            #expect(lines["apns-push-type"] == types[name] ?? "alert", "\(name)")
            #expect(lines["apns-priority"] == (name == "background" ? "5" : nil), "\(name)")
        }
    }
}
