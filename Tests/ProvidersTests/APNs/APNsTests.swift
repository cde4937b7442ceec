import HTTPTransport
import PushModel
import Signing
import Testing

@testable import Providers

@Suite struct APNsTests {
    @Test func aRequestNamesTheDeviceAndTheGroupOfItsConnection() throws {
        let request = try TestAPNs.apns().request(for: TestAPNs.post(), id: 1_234, with: TestAPNs.pass())
        #expect(request.id == 1_234 && request.method == .post)
        #expect(request.url == "https://api.push.apple.com/3/device/\(TestAPNs.device)")
        #expect(request.group == ConnectionGroup(credential: 7, generation: 3))
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"aps":{"alert":"Hello"}}"#)
        let lines = request.shownHeaders.map { "\($0.name): \($0.value)" }
        #expect(
            lines == [
                "apns-id: 12345678-9abc-8def-8000-0000000004d2", "Authorization: bearer •••",
                "apns-topic: com.example.MyApp", "apns-push-type: alert", "content-type: application/json",
                "user-agent: fanfare/1.2.3",
            ])
    }

    @Test func aCertificateIsNoHeader() throws {
        let request = try TestAPNs.apns(topic: nil).request(
            for: TestAPNs.post(), id: 1, with: TestAPNs.certificate)
        let lines = try TestAPNs.lines(request)
        #expect(lines["authorization"] == nil && lines["apns-topic"] == nil && lines["apns-push-type"] == "alert")
        #expect(request.group == ConnectionGroup(credential: 8))
        let location = TestAPNs.post([("apns-push-type", "location")])
        #expect(try TestAPNs.error(location, with: TestAPNs.certificate) == .locationByCertificate)
        #expect(try TestAPNs.error(location) == nil)
    }

    @Test func aHandleInCapitalsIsSentInLowerCase() throws {
        let request = try TestAPNs.apns().request(
            for: TestAPNs.post(to: .handles([TestAPNs.device.uppercased()])), id: 1, with: TestAPNs.pass())
        #expect(request.url.hasSuffix("/3/device/\(TestAPNs.device)"))
    }

    @Test(arguments: [
        "", "abc", "zz", "0", "0x12", "a b1", "ab/../cd", "ab?c=d1", "éé", "\u{FF10}\u{FF10}",
        String(repeating: "a", count: 202),
    ])
    func whatIsNoDeviceTokenReachesNobody(handle: String) throws {
        #expect(try TestAPNs.error(TestAPNs.post(to: .handles([handle]))) == .deviceToken)
        guard case .targetInvalid = InvalidPost.deviceToken.verdict else { return #expect(Bool(false)) }
    }

    @Test func oneDeviceIsTheOnlyTarget() throws {
        #expect(try TestAPNs.error(TestAPNs.post(to: .handles(["ab", "cd"]))) == .severalHandles(2))
        #expect(try TestAPNs.error(TestAPNs.post(to: .handles([]))) == .severalHandles(0))
        #expect(try TestAPNs.error(TestAPNs.post(to: .tag("a"))) == .onlyHandles)
        #expect(try TestAPNs.error(TestAPNs.post(to: .broadcast)) == .onlyHandles)
        #expect(try TestAPNs.error(TestAPNs.post(to: .handles([String(repeating: "a", count: 200)]))) == nil)
    }

    @Test func otherFormatsAreRefused() throws {
        var post = TestAPNs.post()
        for format in ["template", "fcmv1", "Apple", ""] {
            post.format = format
            #expect(try TestAPNs.error(post) == .notApple)
        }
    }

    @Test func pushesOfOneTypeShareTheirHeaders() throws {
        let apns = try TestAPNs.apns()
        func shared(_ post: Post, _ pass: Pass = TestAPNs.pass()) throws -> SharedHeaders {
            try apns.request(for: post, id: 1, with: pass).shared
        }
        let first = try shared(TestAPNs.post())
        #expect(try shared(TestAPNs.post([("apns-priority", "5")], expiresAt: 1)) === first)
        #expect(try shared(TestAPNs.post([("apns-push-type", "voip")])) !== first)
        #expect(try shared(TestAPNs.post([("apns-topic", "com.example.MyApp")])) === first, "it says the same")
        #expect(try shared(TestAPNs.post(), TestAPNs.pass(6, token: "eyJ.c.d")) !== first)
    }

    @Test(arguments: [("com.example.MyApp.watchkitapp", nil), ("com.example.MyApp.voip", nil)] as [(String, String?)])
    func aTopicBelowTheAppsIsTheRows(topic: String, no: String?) throws {
        let request = try TestAPNs.apns().request(
            for: TestAPNs.post([("apns-topic", topic)]), id: 1, with: TestAPNs.pass())
        let lines = try TestAPNs.lines(request)
        #expect(lines["apns-topic"] == topic && lines["authorization"] == "bearer •••")
    }

    @Test(arguments: ["com.example.MyAppX", "com.example", "com.other", "com.example.myapp"])
    func aTopicOfAnotherAppIsRefused(topic: String) throws {
        #expect(try TestAPNs.error(TestAPNs.post([("apns-topic", topic)])) == .topicOfOther)
    }

    @Test func aPushTypeWithATopicOfItsOwnNeedsTheApps() throws {
        let apns = try TestAPNs.apns(topic: nil)
        #expect(try TestAPNs.error(TestAPNs.post([("apns-push-type", "voip")]), at: apns) == .noTopic)
        #expect(try TestAPNs.error(TestAPNs.post([("apns-push-type", "background")]), at: apns) == nil)
        let named = TestAPNs.post([("apns-push-type", "voip"), ("apns-topic", "com.example.MyApp.voip")])
        #expect(try TestAPNs.error(named, at: apns) == nil)
    }

    @Test func onlyHeadersOfAppleAreTheRows() throws {
        for name in [
            "X-WNS-Type", "ServiceBusNotification-Apns-Expiry", "authorization", "content-type", "apns-", ":path",
        ] {
            #expect(try TestAPNs.error(TestAPNs.post([(name, "1")])) == .headerNotAllowed(name: name))
        }
        let twice = TestAPNs.post([("apns-id", TestAPNs.uuid), ("Apns-Id", TestAPNs.uuid)])
        #expect(try TestAPNs.error(twice) == .headerNotAllowed(name: "Apns-Id"))
        let unknown = try TestAPNs.apns().request(
            for: TestAPNs.post([("Apns-New-Thing", "x")]), id: 1, with: TestAPNs.pass())
        #expect(try TestAPNs.lines(unknown)["apns-new-thing"] == "x")
    }

    @Test(arguments: [
        ("apns-push-type", "Alert"), ("apns-push-type", ""), ("apns-priority", "7"), ("apns-priority", "05"),
        ("apns-expiration", ""), ("apns-expiration", "-1"), ("apns-expiration", "1.5"), ("apns-expiration", "soon"),
        ("apns-expiration", "1234567890123456789"), ("apns-collapse-id", ""), ("apns-id", "abc"),
        ("apns-collapse-id", String(repeating: "é", count: 33)),
    ])
    func aValueThatAppleDoesNotTakeIsRefused(name: String, value: String) throws {
        #expect(try TestAPNs.error(TestAPNs.post([(name, value)])) == .headerValue(name: name))
    }

    @Test func aLineBreakInAHeaderLeavesNeverThisMachine() throws {
        for name in ["apns-topic", "apns-collapse-id", "apns-other"] {
            let post = TestAPNs.post([(name, "com.example.MyApp.x\r\nauthorization: y")])
            guard case .header = try TestAPNs.error(post) else { return #expect(Bool(false), "\(name)") }
        }
    }

    @Test func theLifeOfAMessageIsItsExpiration() throws {
        func expiration(_ expiresAt: Double?, _ headers: [(String, String)] = []) throws -> String? {
            let post = TestAPNs.post(headers, expiresAt: expiresAt)
            return try TestAPNs.lines(TestAPNs.apns().request(for: post, id: 1, with: TestAPNs.pass()))[
                "apns-expiration"]
        }
        #expect(try expiration(1_700_003_600.9) == "1700003600")
        #expect(try expiration(nil) == nil && expiration(.infinity) == nil && expiration(.nan) == nil)
        // 0 would be one attempt.
        #expect(try expiration(0) == "1" && expiration(0.5) == "1" && expiration(-5) == "1")
        #expect(try expiration(1_700_003_600, [("apns-expiration", "0")]) == "0", "the row says so")
        #expect(try expiration(1e14) == "100000000000000")
    }

    @Test(arguments: [
        (#"{"aps":{"content-available":1}}"#, "background", "5"), (#"{"aps":{"alert":"a"}}"#, "alert", nil),
        (#"{"aps":{"content-available":1,"sound":"x"}}"#, "alert", nil),
        (#"{"aps":{"content-available":1,"badge":0},"a":1}"#, "alert", nil), (#"{"aps":{}}"#, "alert", nil),
        (#"{"a":{"content-available":1},"aps":{"content-available":0}}"#, "alert", nil),
        (#"{"aps":{"content-available":1},"aps":{"alert":"a"}}"#, "alert", nil),
        (#"{"aps":{"alert":"a"},"aps":{"content-available":1}}"#, "background", "5"),
        (#"{ "\u0061ps" : { "content\u002davailable" : 1 } }"#, "background", "5"),
        (#"{"aps":{"content-changed":true}}"#, "widgets", nil), (#"{"aps":{"content-changed":false}}"#, "alert", nil),
        (#"{"aps":{"event":"end","timestamp":1,"content-state":{}}}"#, "liveactivity", nil),
        (#"{"aps":{"event":"start","timestamp":1,"alert":{}}}"#, "liveactivity", nil),
    ])
    func thePayloadChoosesThePushTypeWhereTheRowDoesNot(payload: String, type: String, priority: String?) throws {
        let request = try TestAPNs.apns().request(
            for: TestAPNs.post(payload: payload), id: 1, with: TestAPNs.pass())
        let lines = try TestAPNs.lines(request)
        #expect(lines["apns-push-type"] == type && lines["apns-priority"] == priority)
        #expect(lines["apns-topic"] == "com.example.MyApp" + (ApplePushType(rawValue: type)?.topicSuffix ?? "?"))
    }

    @Test func aBackgroundPushHasPriorityFive() throws {
        let wakes = #"{"aps":{"content-available":1}}"#
        for priority in ["10", "1"] {
            #expect(
                try TestAPNs.error(TestAPNs.post([("apns-priority", priority)], payload: wakes)) == .backgroundPriority)
            let named = [("apns-push-type", "background"), ("apns-priority", priority)]
            #expect(try TestAPNs.error(TestAPNs.post(named)) == .backgroundPriority)
        }
        #expect(try TestAPNs.error(TestAPNs.post([("apns-priority", "5")], payload: wakes)) == nil)
    }

    @Test(arguments: ["", "[]", "{}", "null", #"{"aps":1}"#, #"{"aps":{}"#, #"{"aps":{}} x"#, #"{"aps":[]}"#])
    func aPayloadWithoutADictionaryIsRefused(payload: String) throws {
        guard case .content = try TestAPNs.error(TestAPNs.post(payload: payload)) else { return #expect(Bool(false)) }
    }

    /// What Apple lacks is said, not pretended.
    @Test func appleHasNoTest() throws {
        let apns = try TestAPNs.apns()
        #expect(throws: InvalidPost.noTestSends) {
            try apns.testRequest(for: TestAPNs.post(), id: 1, with: TestAPNs.pass())
        }
        #expect("\(InvalidPost.noTestSends)".contains("Apple has no test"))
        guard case .rejected = InvalidPost.noTestSends.verdict else { return #expect(Bool(false)) }
    }

    @Test func theQuestionReachesNobody() throws {
        let apns = try TestAPNs.apns()
        let request = try apns.request(for: APNs.nobody, id: 0, with: TestAPNs.pass())
        #expect(request.url == "https://api.push.apple.com/3/device/00")
        #expect(try TestAPNs.lines(request)["apns-push-type"] == "background")
        #expect(apns.answer(forNobody: TestAPNs.reply(400, reason: "BadDeviceToken")).verdict == .accepted)
        for (status, reason) in [
            (403, "InvalidProviderToken"), (400, "BadTopic"), (503, "Shutdown"), (403, "ExpiredProviderToken"),
        ] {
            let reply = TestAPNs.reply(status, reason: reason)
            #expect(apns.answer(forNobody: reply) == apns.answer(to: reply))
            #expect(apns.answer(forNobody: reply).verdict != .accepted)
        }
    }

    @Test func aHubThatFitsIntoNoRequestIsRefused() {
        func error(topic: String? = "a.b", endpoint: String? = nil, version: String = "1") -> InvalidHub? {
            do throws(InvalidHub) {
                _ = try APNs(topic: topic, environment: .sandbox, endpoint: endpoint, database: 0, version: version)
                return nil
            } catch {
                return error
            }
        }
        for topic in ["", "a b", "com.example/x", "com.exämple", "a\r\n", String(repeating: "a", count: 256)] {
            #expect(error(topic: topic) == .topic, "\(topic)")
        }
        #expect(error(endpoint: "http://api.push.apple.com") == .endpoint(.plainHTTP))
        #expect(error(endpoint: "ftp://api.push.apple.com") == .endpoint(.scheme))
        guard case .version = error(version: "1\n") else { return #expect(Bool(false)) }
        #expect(error() == nil && error(topic: nil) == nil && error(topic: "com.apple.mgmt.External.a-b_c") == nil)
        #expect(error(endpoint: "http://127.0.0.1:8443/") == nil)
    }

    @Test func eachEnvironmentHasAnAddressAndASuspicion() throws {
        let production = try TestAPNs.apns()
        let sandbox = try TestAPNs.apns(environment: .sandbox)
        #expect(production.host == "api.push.apple.com" && sandbox.host == "api.sandbox.push.apple.com")
        #expect(production.suspicion == "sandbox tokens at production?" && sandbox.suspicion != production.suspicion)
        #expect(production.scheme == "bearer")
    }

    @Test func noPartOfItPrintsThePass() throws {
        let apns = try TestAPNs.apns()
        let pass = TestAPNs.pass(2, token: "SECRET")
        let request = try apns.request(for: TestAPNs.post(), id: 1, with: pass)
        var printed = "\(apns) \(request) \(pass)"
        dump(apns, to: &printed)
        dump(request, to: &printed)
        #expect(!printed.contains("SECRET"))
    }
}

extension TestAPNs {
    static let uuid = "eabeae54-14a8-11e5-b60b-1697f925ec7b"
}
