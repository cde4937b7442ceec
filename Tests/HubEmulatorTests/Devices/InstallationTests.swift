import Foundation
import Testing
import VectorSupport

@testable import HubEmulator

@Suite struct InstallationTests {
    /// Every case of `installations.json` with a result of a read.
    @Test func anInstallationIsReadBackAsAtTheService() async throws {
        let cases = try Vectors.objects("installations", "cases")
        try await EmulatorFixture.run { fixture in
            for vector in cases {
                let put = try #require(vector["put"] as? [String: Any])
                let id = try #require(put["installationId"] as? String)
                let body = String(decoding: try JSONSerialization.data(withJSONObject: put), as: UTF8.self)
                let target = "/news/installations/\(id)?api-version=2020-06"
                let all = fixture.token("all")
                #expect(
                    try await fixture.exchange(fixture.request("PUT", target, token: all, body: body)).status == 200)
                let got = try await fixture.exchange(fixture.request("GET", target, token: all))
                #expect(got.status == 200)
                #expect(got.headers["content-type"] == "application/xml; charset=utf-8")
                if let expected = vector["get"] as? NSDictionary {
                    let read = try JSONSerialization.jsonObject(with: Data(got.body.utf8)) as? NSDictionary
                    #expect(read == expected, "\(id)")
                }
            }
        }
    }

    @Test func targetsHaveTheDerivedTags() throws {
        for vector in try Vectors.objects("installations", "cases") {
            let put = try JSONSerialization.data(withJSONObject: try #require(vector["put"]))
            let installation = try Installation(json: Array(put))
            var index = DeviceIndex()
            try index.put(installation)
            let everything = SendFormat.allCases.flatMap { index.find(.allDevices, format: $0).targets }
            func tags(_ target: PushTarget?) -> Set<String>? {
                target.map { Set($0.device.registration(of: $0.part).tags.map { $0.lowercased() }) }
            }
            if let expected = vector["native_target_tags"] as? [String] {
                let native = everything.first { $0.template == nil }
                #expect(tags(native) == Set(expected.map { $0.lowercased() }))
            }
            for (name, expected) in vector["template_target_tags"] as? [String: [String]] ?? [:] {
                let target = everything.first { $0.templateName == name }
                #expect(tags(target) == Set(expected.map { $0.lowercased() }))
            }
        }
    }

    @Test func whatTheServiceRefusesIsRefused() async throws {
        let invalid = try Vectors.objects("installations", "invalid")
        try await EmulatorFixture.run { fixture in
            for vector in invalid {
                let put = try JSONSerialization.data(withJSONObject: try #require(vector["put"]))
                let reply = try await fixture.exchange(
                    fixture.request(
                        "PUT", "/news/installations/i", token: fixture.token("all"),
                        body: String(decoding: put, as: UTF8.self)))
                #expect(reply.status == 400, "\(vector["reason"] ?? "")")
            }
        }
    }

    @Test(arguments: [
        (#"{"installationId":"i","platform":"apns"}"#, "pushChannel is missing"),
        (#"{"installationId":7,"platform":"apns","pushChannel":"AA"}"#, "installationId has the wrong type"),
        (#"{"installationId":"i","platform":"browser","pushChannel":"AA"}"#, "an object with endpoint"),
        (#"{"installationId":"j","platform":"apns","pushChannel":"AA"}"#, "not the one in the address"),
        (#"{"installationId":"i","platform":"apns","pushChannel":"AA","templates":{"t":{"body":"{"}}}"#, "template t"),
        (
            #"{"installationId":"i","platform":"apns","pushChannel":"AA","templates":{"t":{"body":"{\"a\":\"$(\"}"}}}"#,
            "a"
        ),
        ("{", "not JSON"), ("[]", "the document has the wrong type"),
    ])
    func aRefusalNamesTheBrokenRule(body: String, reason: String) async throws {
        try await EmulatorFixture.run { fixture in
            let reply = try await fixture.exchange(
                fixture.request("PUT", "/news/installations/i", token: fixture.token("all"), body: body))
            #expect(reply.status == 400)
            #expect(reply.body.contains(reason), "\(reply.body)")
        }
    }

    @Test func aDeletedDeviceGetsNoPushes() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(
                Installation("a b", pushChannel: .handle("AB"), tags: ["World"], templates: ["t": "{}"]), at: "news")
            let all = fixture.token("all")
            let target = "/news/installations/a%20b?api-version=2020-06"
            for _ in 0..<2 {
                #expect(try await fixture.exchange(fixture.request("DELETE", target, token: all)).status == 204)
            }
            let got = try await fixture.exchange(fixture.request("GET", target, token: all))
            #expect(got.status == 404)
            #expect(got.body.contains("<Detail>Installation not found.TrackingId:"))
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
            #expect(fixture.emulator.journal().first?.reached == 0)
        }
    }

    /// A key with only Send can neither read nor write, and gets the recorded error; an app's key with only Listen can
    /// do both.
    @Test func registeringNeedsTheListenOrTheManageRight() async throws {
        let recorded = try #require(
            try Vectors.objects("errors", "cases").first { $0["id"] as? String == "401-claim" })
        let expected = try #require((recorded["expect"] as? [String: Any])?["detail"] as? String)
        try await EmulatorFixture.run { fixture in
            let body = #"{"installationId":"i","platform":"apns","pushChannel":"AA"}"#
            let target = "/news/installations/i"
            for method in ["PUT", "PATCH", "GET", "DELETE"] {
                let sent = method == "PUT" ? body : method == "PATCH" ? "[]" : ""
                #expect(
                    try await fixture.exchange(fixture.request(method, target, token: "", body: sent)).status == 401)
                let refused = try await fixture.exchange(fixture.request(method, target, body: sent))
                #expect(refused.status == 401)
                #expect(refused.body.hasPrefix("<Error><Code>401</Code><Detail>\(expected).TrackingId:"))
                for policy in ["listener", "all"] {
                    let reply = try await fixture.exchange(
                        fixture.request(method, target, token: fixture.token(policy), body: sent))
                    #expect(reply.status == (method == "DELETE" ? 204 : 200))
                }
            }
        }
    }

    @Test func aBrowserKeepsItsThreePartChannel() throws {
        let json =
            #"{"installationId":"i","platform":"browser","pushChannel":{"endpoint":"e","p256dh":"p","auth":"a"}}"#
        let installation = try Installation(json: Array(json.utf8))
        #expect(installation.pushChannel == .browser(endpoint: "e", p256dh: "p", auth: "a"))
        #expect(try Installation(json: try installation.json()).pushChannel == installation.pushChannel)
    }

    /// As .NET and Java write it: JSON text in a string, which is read back as it was written.
    @Test func aBrowserMayWriteItsChannelAsText() throws {
        let text = #"{\"endpoint\":\"e\",\"p256dh\":\"p\",\"auth\":\"a\"}"#
        let json = #"{"installationId":"i","platform":"Browser","pushChannel":"\#(text)"}"#
        let installation = try Installation(json: Array(json.utf8))
        #expect(installation.pushChannel.text == "e")
        #expect(String(decoding: try installation.json(), as: UTF8.self).contains(#""pushChannel":"\#(text)""#))
        #expect(try Installation(json: try installation.json()).pushChannel == installation.pushChannel)
        #expect(throws: EmulatorError("The pushChannel is an object only on the browser platform.")) {
            try Installation(json: Array(json.replacing("Browser", with: "gcm").utf8))
        }
    }

    @Test(arguments: Installation.Platform.allCases)
    func aPlatformIsReadInAnyCase(platform: Installation.Platform) throws {
        for name in [platform.rawValue, platform.rawValue.lowercased(), platform.rawValue.uppercased()] {
            let read = try JSONDecoder().decode([Installation.Platform].self, from: Data(#"["\#(name)"]"#.utf8))
            #expect(read == [platform])
        }
    }

    /// Recorded for `Template Name`: a template's name is its tag even where it is not a valid one, and what a GET
    /// returns can be PUT again.
    @Test func aTemplateNameThatIsNotATagIsKept() throws {
        let put = Installation("i", pushChannel: .handle("AB"), templates: ["it's": "{}", "plain": "{}"])
        let read = try Installation(json: try put.json())
        #expect(read.templates?["it's"]?.tags == ["it's"])
        #expect(read.templates?["plain"]?.tags == ["plain"])
        var index = DeviceIndex()
        try index.put(put)
        #expect(index.device("i", hasTag: "plain") && index.device("i", hasTag: "it's"))
        var other = put
        other.templates?["plain"]?.tags = ["it's"]
        #expect(throws: EmulatorError.self) { try other.check() }
    }
}
