import Foundation
import FoundationXML
import Testing

@testable import HubEmulator

/// The list of a hub's registrations, from which installations are exported.
@Suite struct RegistrationListTests {
    private func get(
        _ fixture: EmulatorFixture, _ target: String, policy: String = "all", headers: [String: String] = [:]
    ) async throws -> Client.Reply {
        try await fixture.exchange(fixture.request("GET", target, token: fixture.token(policy), headers: headers))
    }

    private func register(_ count: Int, at fixture: EmulatorFixture) throws {
        for number in 1...count {
            try fixture.emulator.register(
                Installation(
                    "i\(number)", pushChannel: .handle("AB"), tags: number.isMultiple(of: 2) ? ["Even"] : [],
                    templates: ["news": #"{"aps":{"alert":"$(m)"}}"#]), at: "news")
        }
    }

    /// As recorded by azure-notificationhubs-dotnet, with our own values.
    @Test func aDeviceIsListedAsAtTheService() async throws {
        try await EmulatorFixture.run { fixture in
            let device = Installation(
                "i1", pushChannel: .handle("AA01"), user: "u&1", tags: ["World"],
                templates: ["news": #"{"a":"]]>$(m)"}"#])
            try fixture.emulator.register(device, at: "news")
            try fixture.emulator.register(device, at: "news")
            let reply = try await get(fixture, "/news/registrations?api-version=2020-06&$top=100")
            #expect(reply.status == 200)
            #expect(reply.headers["content-type"] == "application/atom+xml; type=feed; charset=utf-8")
            #expect(reply.headers["x-ms-continuationtoken"] == nil)
            let own = "http://\(fixture.host)/news/registrations"
            let query = "?api-version=2020-06&amp;$top=100"
            let time = "2027-01-15T08:00:00Z"
            let space =
                "xmlns=\"http://schemas.microsoft.com/netservices/2010/10/servicebus/connect\" "
                + "xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\""
            func entry(_ id: String, _ description: String) -> String {
                "<entry a:etag=\"W/&quot;2&quot;\" "
                    + "xmlns:a=\"http://schemas.microsoft.com/ado/2007/08/dataservices/metadata\">"
                    + "<id>\(own)/\(id)\(query)</id><title type=\"text\">\(id)</title><published>\(time)</published>"
                    + "<updated>\(time)</updated><link rel=\"self\" href=\"\(own)/\(id)\(query)\"/>"
                    + "<content type=\"application/xml\">\(description)</content></entry>"
            }
            let ids = [nil, "news"].map { RegistrationID(device: "i1", template: $0).text }
            func start(_ id: String) -> String {
                "<ETag>2</ETag><ExpirationTime>9999-12-31T23:59:59.9999999Z</ExpirationTime>"
                    + "<RegistrationId>\(id)</RegistrationId><Tags>$InstallationId:{i1},$UserId:{u&amp;1},World"
            }
            let expected =
                "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title type=\"text\">Registrations</title>"
                + "<id>\(own)\(query)</id><updated>\(time)</updated><link rel=\"self\" href=\"\(own)\(query)\"/>"
                + entry(
                    ids[0],
                    "<AppleRegistrationDescription \(space)>\(start(ids[0]))</Tags><DeviceToken>AA01</DeviceToken>"
                        + "</AppleRegistrationDescription>")
                + entry(
                    ids[1],
                    "<AppleTemplateRegistrationDescription \(space)>\(start(ids[1])),news</Tags>"
                        + "<DeviceToken>AA01</DeviceToken>"
                        + #"<BodyTemplate><![CDATA[{"a":"]]]]><![CDATA[>$(m)"}]]></BodyTemplate>"#
                        + "<Expiry i:nil=\"true\"/><TemplateName>news</TemplateName><ApnsHeaders/>"
                        + "</AppleTemplateRegistrationDescription>") + "</feed>"
            #expect(reply.body == expected)
        }
    }

    /// In every way in which clients return the token.
    @Test(arguments: ["as it is", "encoded again", "by the link"])
    func everyRegistrationIsOnExactlyOnePage(way: String) async throws {
        try await EmulatorFixture.run { fixture in
            try register(105, at: fixture)
            var listed: [String] = []
            var sizes: [Int] = []
            var target = "/news/registrations?api-version=2020-06"
            while true {
                let reply = try await get(fixture, target)
                #expect(reply.status == 200)
                let ids = reply.body.matches(of: /<RegistrationId>([^<]+)</).map { String($0.output.1) }
                listed += ids
                sizes.append(ids.count)
                guard let token = reply.headers["x-ms-continuationtoken"] else {
                    #expect(!reply.body.contains("rel=\"next\""))
                    break
                }
                let link = try #require(reply.body.firstMatch(of: /rel="next" href="http:\/\/[^\/]+([^"]+)"/))
                target =
                    switch way {
                    case "as it is": "/news/registrations?api-version=2020-06&$top=70&continuationtoken=\(token)"
                    case "encoded again":
                        "/news/registrations?ContinuationToken=\(token.replacing("%", with: "%25"))&$top=70"
                    default: String(link.output.1).replacing("&amp;", with: "&")
                    }
            }
            #expect(sizes == (way == "by the link" ? [100, 100, 10] : [100, 70, 40]))
            #expect(listed.count == 210)
            #expect(Set(listed).count == 210)
        }
    }

    @Test func addedOrRemovedDevicesDoNotShiftPages() async throws {
        try await EmulatorFixture.run { fixture in
            try register(4, at: fixture)
            let first = try await get(fixture, "/news/registrations?$top=3")
            let token = try #require(first.headers["x-ms-continuationtoken"])
            let all = fixture.token("all")
            for id in ["i1", "i2"] {
                let reply = try await fixture.exchange(
                    fixture.request("DELETE", "/news/installations/\(id)", token: all))
                #expect(reply.status == 204)
            }
            try fixture.emulator.register(Installation("a", pushChannel: .handle("AB")), at: "news")
            try fixture.emulator.register(Installation("i31", pushChannel: .handle("AB")), at: "news")
            let rest = try await get(fixture, "/news/registrations?ContinuationToken=\(token)")
            let tags = rest.body.matches(of: /InstallationId:\{([^}]+)\}/).map { String($0.output.1) }
            #expect(tags == ["i3", "i3", "i31", "i4", "i4"])
        }
    }

    @Test func aTagListsItsRegistrations() async throws {
        try await EmulatorFixture.run { fixture in
            try register(5, at: fixture)
            for (tag, count) in [("Even", 4), ("even", 4), ("news", 5), ("odd", 0), ("$InstallationId:%7Bi1%7D", 2)] {
                let reply = try await get(fixture, "/news/tags/\(tag)/registrations?api-version=2020-06")
                #expect(reply.status == 200)
                #expect(reply.body.matches(of: /<entry\s/).count == count, "\(tag)")
            }
            let first = try await get(fixture, "/news/tags/Even/registrations?$top=3")
            let token = try #require(first.headers["x-ms-continuationtoken"])
            let second = try await get(fixture, "/news/tags/Even/registrations?$top=3&ContinuationToken=\(token)")
            #expect(second.body.matches(of: /<entry\s/).count == 1)
        }
    }

    @Test func anETagChangesWithItsInstallation() async throws {
        try await EmulatorFixture.run { fixture in
            let id = RegistrationID(device: "i1", template: "news").text
            for version in 1...2 {
                try register(1, at: fixture)
                let reply = try await get(fixture, "/news/registrations/\(id)?api-version=2020-06", policy: "listener")
                #expect(reply.status == 200)
                #expect(reply.headers["content-type"] == "application/atom+xml; type=entry; charset=utf-8")
                #expect(reply.headers["etag"] == "W/\"\(version)\"")
                #expect(reply.body.hasPrefix("<entry a:etag=\"W/&quot;\(version)&quot;\" xmlns=\"http://www.w3.org/"))
                #expect(reply.body.contains("<TemplateName>news</TemplateName>"))
            }
            #expect(try await get(fixture, "/news/registrations/1-2-3").status == 404)
        }
    }

    /// The elements of each platform's handle and template.
    @Test(arguments: [
        (Installation.Platform.apns, "<DeviceToken>AB</DeviceToken>", "<ApnsHeaders><ApnsHeader><Header>X-Kind<"),
        (.wns, "<ChannelUri>AB</ChannelUri>", "<WnsHeaders><WnsHeader><Header>X-Kind</Header><Value>1</Value><"),
        (.mpns, "<ChannelUri>AB</ChannelUri>", "<MpnsHeaders><MpnsHeader><Header>X-Kind</Header>"),
        (.adm, "<AdmRegistrationId>AB</AdmRegistrationId>", "<AdmTemplateRegistrationDescription "),
        (.gcm, "<GcmRegistrationId>AB</GcmRegistrationId>", "<GcmTemplateRegistrationDescription "),
        (.fcmV1, "<FcmV1RegistrationId>AB</FcmV1RegistrationId>", "<FcmV1TemplateRegistrationDescription "),
        (.xiaomi, "<XiaomiRegistrationId>AB</XiaomiRegistrationId>", "<XiaomiTemplateRegistrationDescription "),
        (.baidu, "<BaiduUserId>u</BaiduUserId><BaiduChannelId>c-1</BaiduChannelId>", "<BaiduTemplateRegistration"),
        (.browser, "<Endpoint>e</Endpoint><P256DH>p</P256DH><Auth>a</Auth>", "<BrowserTemplateRegistration"),
    ])
    func everyPlatformHasItsElements(
        platform: Installation.Platform, handle: String, template: String
    ) async throws {
        try await EmulatorFixture.run { fixture in
            let channel: PushChannel =
                switch platform {
                case .browser: .browser(endpoint: "e", p256dh: "p", auth: "a")
                case .baidu: .handle("u-c-1")
                default: .handle("AB")
                }
            var device = Installation("i", platform: platform, pushChannel: channel, templates: ["t": "{}"])
            device.templates?["t"]?.headers = ["X-Kind": "1"]
            try fixture.emulator.register(device, at: "news")
            let reply = try await get(fixture, "/news/registrations")
            #expect(reply.body.contains(handle), "\(reply.body)")
            #expect(reply.body.contains(template))
            #expect(reply.body.contains("<TemplateName>t</TemplateName>"))
            #expect(XMLParser(data: Data(reply.body.utf8)).parse())
        }
    }

    @Test func listingNeedsTheManageRight() async throws {
        try await EmulatorFixture.run { fixture in
            for target in ["/news/registrations", "/news/tags/a/registrations", "/news/feedbackcontainer"] {
                for policy in ["sender", "listener"] {
                    let reply = try await get(fixture, target, policy: policy)
                    #expect(reply.status == 401)
                    #expect(reply.body.contains("<Detail>Manage claim is required for this operation.."))
                }
                let allowed = try await get(fixture, target)
                #expect(allowed.status == 200)
            }
        }
    }

    @Test func anInvalidListRequestIsRefused() async throws {
        try await EmulatorFixture.run { fixture in
            for (target, status) in [
                ("/news/registrations?$top=x", 400), ("/news/registrations?%24top=0", 400),
                ("/news/registrations?$top=99999999999999999999", 400),
                ("/news/registrations?ContinuationToken=%25%25", 400), ("/news/registrations?ContinuationToken=!", 400),
                ("/news/registrations?ContinuationToken=%2Fw%3D%3D", 400),
                ("/news/registrations?$filter=ChannelUri%20eq%20x", 400),
                ("/news/registrations?$filter=Tag%20eq%20'x'", 400),
                ("/news/registrations?$filter=ChannelUri%20eq%20'a'b'", 400), ("/nowhere/registrations", 404),
                ("/news/registrations/a/b", 501), ("/news/tags/a", 501),
            ] {
                let reply = try await get(fixture, target)
                #expect(reply.status == status, "\(target)")
            }
            let written = try await fixture.exchange(
                fixture.request("POST", "/news/registrations", token: fixture.token("all"), body: "<entry/>"))
            #expect(written.status == 400)
        }
    }

    @Test func theFeedbackContainerIsEmpty() async throws {
        try await EmulatorFixture.run { fixture in
            let reply = try await get(fixture, "/news/feedbackcontainer?api-version=2020-06")
            #expect(reply.status == 200)
            #expect(reply.body.hasPrefix("http://\(fixture.host)/_emulator/feedback/news?"))
            let path = try #require(reply.body.split(separator: fixture.host).last)
            let list = try await fixture.exchange(
                fixture.request("GET", "\(path)&restype=container&comp=list", token: "", headers: [:]))
            #expect(list.status == 200)
            #expect(list.body.contains("ContainerName=\"news\"><Blobs />"))
            let posted = try await fixture.exchange(
                fixture.request("POST", "/news/feedbackcontainer", token: fixture.token("all"), body: "x"))
            #expect(posted.status == 405)
        }
        try await EmulatorFixture.run({ $0.tier = .free }) { fixture in
            let reply = try await get(fixture, "/news/feedbackcontainer")
            #expect(reply.status == 403)
        }
    }
}
