import Foundation
import Testing

@testable import HubEmulator

/// Registrations made as such, over the wire (notification-hubs.md section 8).
@Suite struct StoredRegistrationTests {
    static func entry(_ kind: String, _ elements: String) -> String {
        """
        <?xml version="1.0" encoding="utf-8"?>
        <entry xmlns="http://www.w3.org/2005/Atom"><title/><content type="application/xml">
        <\(kind)RegistrationDescription xmlns:i="http://www.w3.org/2001/XMLSchema-instance" \
        xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect">\(elements)\
        </\(kind)RegistrationDescription></content></entry>
        """
    }

    static let phone = entry("Apple", "<Tags>World, Sports</Tags><DeviceToken>AA01</DeviceToken>")

    private func ask(
        _ bench: Bench, _ method: String, _ target: String, _ body: String = "", match: String? = nil,
        policy: String = "all"
    ) async throws -> Client.Reply {
        var headers = ["Content-Type": "application/atom+xml;type=entry;charset=utf-8"]
        headers["If-Match"] = match
        return try await bench.exchange(
            bench.request(method, target, token: bench.token(policy), headers: headers, body: body))
    }

    private func id(_ reply: Client.Reply) throws -> String {
        String(try #require(reply.body.firstMatch(of: /<RegistrationId>([^<]+)</)).output.1)
    }

    @Test func aRegistrationIsMadeReadChangedAndDeleted() async throws {
        try await Bench.run { bench in
            let made = try await ask(bench, "POST", "/news/registrations?api-version=2020-06", Self.phone)
            #expect(made.status == 200)
            #expect(made.headers["etag"] == "W/\"1\"")
            #expect(made.headers["content-type"] == "application/atom+xml; type=entry; charset=utf-8")
            let id = try id(made)
            #expect(made.body.contains("<id>http://\(bench.host)/news/registrations/\(id)?api-version=2020-06</id>"))
            #expect(made.body.contains("<Tags>World,Sports</Tags><DeviceToken>AA01</DeviceToken>"))
            #expect(made.body.contains("<ExpirationTime>9999-12-31T23:59:59.9999999Z</ExpirationTime>"))

            let target = "/news/registrations/\(id)"
            #expect(try await ask(bench, "GET", target, policy: "listener").body.contains("<ETag>1</ETag>"))
            let changed = Self.entry("Apple", "<DeviceToken>AA02</DeviceToken>")
            for (match, status) in [("\"7\"", 412), ("W/\"1\"", 200), ("\"2\"", 200), ("3", 200), ("*", 200)] {
                #expect(try await ask(bench, "PUT", target, changed, match: match).status == status, "\(match)")
            }
            let read = try await ask(bench, "GET", target)
            #expect(read.headers["etag"] == "W/\"5\"")
            #expect(read.body.contains("<DeviceToken>AA02</DeviceToken>"))
            #expect(!read.body.contains("<Tags>"))

            #expect(try await ask(bench, "DELETE", target).status == 412)
            #expect(try await ask(bench, "DELETE", target, match: "\"1\"").status == 412)
            #expect(try await ask(bench, "DELETE", target, match: "\"5\"").status == 200)
            #expect(try await ask(bench, "DELETE", target, match: "*").status == 404)
            #expect(try await ask(bench, "GET", target).status == 404)
            #expect(try await ask(bench, "PUT", target, changed, match: "*").status == 404)
            #expect(try await ask(bench, "PUT", target, changed).status == 410)
        }
    }

    @Test func anIdIsAskedForAndThenPutTo() async throws {
        try await Bench.run { bench in
            let reserved = try await ask(bench, "POST", "/news/registrationids?api-version=2020-06", policy: "listener")
            #expect(reserved.status == 201)
            #expect(reserved.body.isEmpty)
            let location = try #require(reserved.headers["location"])
            let target = try #require(location.split(separator: bench.host).last).description
            #expect(target.hasPrefix("/news/registrations/") && target.hasSuffix("?api-version=2020-06"))
            #expect(try await ask(bench, "GET", target).status == 404)
            for version in 1...2 {
                let put = try await ask(bench, "PUT", target, Self.phone, policy: "listener")
                #expect(put.status == 200)
                #expect(put.headers["etag"] == "W/\"\(version)\"")
                #expect(target.contains(try id(put)))
            }
            #expect(try await ask(bench, "PUT", "/news/registrations/1-2-3", Self.phone).status == 410)
        }
    }

    @Test func whatBelongsToAnInstallationIsChangedThere() async throws {
        try await Bench.run { bench in
            try bench.emulator.register(Installation("i", pushChannel: .handle("AA01")), at: "news")
            let target = "/news/registrations/\(RegistrationID(device: "i", template: nil).text)"
            #expect(try await ask(bench, "PUT", target, Self.phone, match: "*").status == 409)
            let deleted = try await ask(bench, "DELETE", target, match: "*")
            #expect(deleted.status == 409)
            #expect(deleted.body.contains("belongs to the installation i"))
        }
    }

    /// The kinds of every platform, and the format that reaches each.
    @Test(arguments: [
        ("Apple", "<DeviceToken>AA</DeviceToken>", "apple"),
        ("Windows", "<ChannelUri>https://w</ChannelUri><SecondaryTileName>t</SecondaryTileName>", "windows"),
        ("Mpns", "<ChannelUri>https://m</ChannelUri>", "windowsphone"),
        ("Gcm", "<GcmRegistrationId>g</GcmRegistrationId>", "gcm"),
        ("FcmV1", "<FcmV1RegistrationId>f</FcmV1RegistrationId>", "fcmv1"),
        ("Adm", "<AdmRegistrationId>a</AdmRegistrationId>", "adm"),
        ("Baidu", "<BaiduUserId>u</BaiduUserId><BaiduChannelId>c</BaiduChannelId>", "baidu"),
        ("Browser", "<Endpoint>e</Endpoint><P256DH>p</P256DH><Auth>a</Auth>", "browser"),
        ("Xiaomi", "<XiaomiRegistrationId>x</XiaomiRegistrationId>", "xiaomi"),
    ])
    func everyKindIsTakenAndWrittenBack(kind: String, handle: String, format: String) async throws {
        try await Bench.run { bench in
            let native = try await ask(
                bench, "POST", "/news/registrations", Self.entry(kind, "<Tags>n</Tags>" + handle))
            #expect(native.status == 200, "\(native.body)")
            #expect(native.body.contains("<\(kind)RegistrationDescription "))
            #expect(native.body.contains("<Tags>n</Tags>" + handle + "</\(kind)RegistrationDescription>"))
            let template = try await ask(
                bench, "POST", "/news/registrations",
                Self.entry(
                    kind + "Template",
                    handle + #"<BodyTemplate><![CDATA[ {"x":"$(m)"} ]]></BodyTemplate><TemplateName>tn</TemplateName>"#)
            )
            #expect(template.status == 200, "\(template.body)")
            #expect(template.body.contains(#"<BodyTemplate><![CDATA[{"x":"$(m)"}]]></BodyTemplate>"#))
            #expect(template.body.contains("<TemplateName>tn</TemplateName>"))

            let token = bench.token("sender")
            let sent = try await bench.exchange(
                bench.request(
                    token: token,
                    headers: ["ServiceBusNotification-Format": format, "ServiceBusNotification-Tags": "n"],
                    body: "{}"))
            #expect(sent.status == 201)
            #expect(try bench.emulator.inbox(of: try id(native), at: "news").map(\.payload) == ["{}"])
            #expect(try await bench.exchange(bench.send(to: nil)).status == 201)
            let shown = try bench.emulator.inbox(of: try id(template), at: "news")
            #expect(shown.map(\.payload) == [#"{"x":"x"}"#])
            #expect(shown.first?.template == "tn")
            // A registration's template name is not among its tags.
            #expect(try await bench.exchange(bench.send(to: "tn")).status == 201)
            #expect(bench.emulator.journal().map(\.reached) == [1, 1, 0])
        }
    }

    @Test func whatATemplateSaysBesideItsBodyIsKept() async throws {
        try await Bench.run { bench in
            let apple = try await ask(
                bench, "POST", "/news/registrations",
                Self.entry(
                    "AppleTemplate",
                    #"<PushVariables>{"a":"b"}</PushVariables><DeviceToken>AA</DeviceToken>"#
                        + "<BodyTemplate>{}</BodyTemplate><TemplateName>t</TemplateName><Expiry>$(e)</Expiry>"
                        + "<Priority>5</Priority><ApnsHeaders><ApnsHeader><Header>apns-push-type</Header>"
                        + "<Value>voip</Value></ApnsHeader></ApnsHeaders>"))
            #expect(apple.status == 200, "\(apple.body)")
            #expect(apple.body.contains(#"<PushVariables>{"a":"b"}</PushVariables>"#))
            let end =
                "<Expiry>$(e)</Expiry><TemplateName>t</TemplateName><Priority>5</Priority><ApnsHeaders><ApnsHeader>"
                + "<Header>apns-push-type</Header><Value>voip</Value></ApnsHeader></ApnsHeaders>"
            #expect(apple.body.contains(end))
            let windows = try await ask(
                bench, "POST", "/news/registrations",
                Self.entry(
                    "WindowsTemplate",
                    "<ChannelUri>w</ChannelUri><BodyTemplate><![CDATA[<toast>$(m)</toast>]]></BodyTemplate><WnsHeaders>"
                        + "<WnsHeader><Header>X-WNS-Type</Header><Value>wns/toast</Value></WnsHeader>"
                        + "<WnsHeader><Header>A</Header><Value/></WnsHeader></WnsHeaders>"))
            #expect(windows.status == 200, "\(windows.body)")
            #expect(windows.body.contains("<BodyTemplate><![CDATA[<toast>$(m)</toast>]]></BodyTemplate><WnsHeaders>"))
            #expect(
                windows.body.contains("<WnsHeader><Header>A</Header><Value></Value></WnsHeader><WnsHeader><Header>X-"))
        }
    }

    @Test(arguments: [
        (
            phone.replacing("<Tags>World, Sports</Tags>", with: "").replacing(
                "</DeviceToken>", with: "</DeviceToken><Tags>a</Tags>"), "order"
        ),
        (entry("AppleTemplate", "<BodyTemplate>{}</BodyTemplate><DeviceToken>AA</DeviceToken>"), "order"),
        (
            entry(
                "AppleTemplate",
                "<DeviceToken>AA</DeviceToken><TemplateName>t</TemplateName><BodyTemplate>{}</BodyTemplate>"), "order"
        ),
        (entry("Apple", "<Tags>a</Tags>"), "no DeviceToken"), (entry("Apple", "<DeviceToken>XYZ</DeviceToken>"), "hex"),
        (entry("Apple", "<Tag>a</Tag><DeviceToken>AA</DeviceToken>"), "Tag is no element"),
        (entry("Apple", "<Tags>a b</Tags><DeviceToken>AA</DeviceToken>"), "An invalid tag 'a b'"),
        (entry("Apple", "<DeviceToken>AA</DeviceToken><DeviceToken>AA</DeviceToken>"), "twice"),
        (entry("Apple", "<DeviceToken>AA</DeviceToken><BodyTemplate>{}</BodyTemplate>"), "no element of"),
        (entry("AppleTemplate", "<DeviceToken>AA</DeviceToken>"), "no BodyTemplate"),
        (entry("AppleTemplate", "<DeviceToken>AA</DeviceToken><BodyTemplate>{</BodyTemplate>"), "template"),
        (
            entry("AppleTemplate", "<DeviceToken>AA</DeviceToken><BodyTemplate>{}</BodyTemplate><Expiry>soon</Expiry>"),
            "Expiry"
        ),
        (
            entry(
                "AppleTemplate", "<DeviceToken>AA</DeviceToken><BodyTemplate>{}</BodyTemplate><Priority>999</Priority>"),
            "Priority"
        ),
        (
            entry(
                "AppleTemplate",
                "<DeviceToken>AA</DeviceToken><BodyTemplate>{}</BodyTemplate><ApnsHeaders><ApnsHeader><Header>x</Header><Value>y</Value></ApnsHeader></ApnsHeaders>"
            ), "apns-"
        ),
        (
            entry(
                "AppleTemplate",
                "<DeviceToken>AA</DeviceToken><BodyTemplate>{}</BodyTemplate><TemplateName>\(String(repeating: "t", count: 201))</TemplateName>"
            ), "200"
        ),
        (entry("Apple", "<ExpirationTime>soon</ExpirationTime><DeviceToken>AA</DeviceToken>"), "ExpirationTime"),
        (entry("Apple", "<PushVariables>[]</PushVariables><DeviceToken>AA</DeviceToken>"), "PushVariables"),
        (
            entry(
                "Apple",
                "<Tags>\((0..<890).map { "t\(1_000_000 + $0)" }.joined(separator: ","))</Tags><DeviceToken>AA</DeviceToken>"
            ), "890 tags"
        ),
        (entry("Pear", "<DeviceToken>AA</DeviceToken>"), "no kind"),
        ("<entry/>", "no Atom entry"), ("", "no Atom entry"), ("<entry><content>", "no XML"),
        (String(phone.dropLast(9)), "no XML"), (phone + "<x>", "no XML"),
        // Found by the fuzzer: Foundation's parser does not outlive one without data.
        ("<?x?>", "processing instructions"),
        ("<entry><![CDATA[ ]]>\u{338}<?x?></entry>", "processing"),
        ("<?xml version=\"1.0\"?><?x?><entry/>", "processing"),
        (phone.replacing("</Tags>", with: "</Tags><?x?>"), "processing"),
        (phone.replacing("</Tags>", with: "&undefined;</Tags>"), "no XML"),
        (phone.replacing("</Tags>", with: "</Tag>"), "no XML"), ("{}", "no Atom entry"),
        ("<!DOCTYPE entry [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>" + phone, "DOCTYPE"),
        (phone.replacing("utf-8", with: "utf-16"), "UTF-8"),
        (String(repeating: "<entry>", count: 5_000), "nested"),
        (phone.replacing("</content>", with: "<AdmRegistrationDescription/></content>"), "two"),
    ])
    func whatIsWrongIsSaid(body: String, reason: String) async throws {
        try await Bench.run { bench in
            let reply = try await ask(bench, "POST", "/news/registrations", body)
            #expect(reply.status == 400)
            #expect(reply.body.contains(reason), "\(reply.body)")
            #expect(try bench.emulator.devices(at: "news").isEmpty)
        }
    }

    @Test func aLargeBodyIsTooLarge() async throws {
        try await Bench.run { bench in
            let body = Self.entry("Apple", "<Tags>\(String(repeating: " ", count: 65_536))</Tags>")
            let reply = try await ask(bench, "POST", "/news/registrations", body)
            #expect(reply.status == 413)
        }
    }

    @Test func theRegistrationsOfOneHandleAreFoundByIt() async throws {
        try await Bench.run { bench in
            for tag in 1...3 {
                let body = Self.entry("Apple", "<Tags>t\(tag)</Tags><DeviceToken>AA01</DeviceToken>")
                #expect(try await ask(bench, "POST", "/news/registrations", body).status == 200)
            }
            _ = try await ask(
                bench, "POST", "/news/registrations",
                Self.entry("Gcm", "<GcmRegistrationId>it's</GcmRegistrationId>"))
            try bench.emulator.register(
                Installation("i", pushChannel: .handle("AA01"), templates: ["t": "{}"]), at: "news")
            for (filter, count) in [
                ("DeviceToken%20eq%20'AA01'", 5), ("DeviceToken%20eq%20'aa01'", 5),
                ("ChannelUri%20eq%20'AA01'", 5), ("GcmRegistrationId%20eq%20'AA01'", 0),
                ("GcmRegistrationId%20eq%20'it''s'", 1), ("FcmV1RegistrationId%20eq%20'it''s'", 0),
            ] {
                let reply = try await ask(bench, "GET", "/news/registrations?$filter=\(filter)", policy: "listener")
                #expect(reply.status == 200)
                #expect(reply.body.matches(of: /<RegistrationId>/).count == count, "\(filter)")
            }
            let first = try await ask(bench, "GET", "/news/registrations?%24filter=DeviceToken%20eq%20'AA01'&$top=4")
            #expect(first.headers["x-ms-continuationtoken"] != nil)
            let link = try #require(first.body.firstMatch(of: /rel="next" href="http:\/\/[^\/]+([^"]+)"/))
            let second = try await ask(bench, "GET", String(link.output.1).replacing("&amp;", with: "&"))
            #expect(second.body.matches(of: /<RegistrationId>/).count == 1)
            #expect(try await ask(bench, "GET", "/news/registrations", policy: "listener").status == 401)
        }
    }

    @Test func registrationsAreListedAmongTheOthersByPageAndTag() async throws {
        try await Bench.run { bench in
            for number in 1...5 {
                try bench.emulator.register(
                    Installation("i\(number)", pushChannel: .handle("AA"), tags: ["World"]), at: "news")
                #expect(try await ask(bench, "POST", "/news/registrations", Self.phone).status == 200)
            }
            for path in ["registrations", "tags/world/registrations"] {
                var ids: [String] = []
                var token = ""
                repeat {
                    let page = try await ask(bench, "GET", "/news/\(path)?$top=3&ContinuationToken=\(token)")
                    ids += page.body.matches(of: /<RegistrationId>([^<]+)</).map { String($0.output.1) }
                    token = page.headers["x-ms-continuationtoken"] ?? ""
                } while !token.isEmpty
                #expect(ids.count == 10)
                #expect(Set(ids).count == 10)
            }
            let metrics = try await bench.exchange(bench.request("GET", "/_emulator/metrics", token: ""))
            #expect(metrics.body.contains("fanfare_emulator_registrations{hub=\"news\",platform=\"apns\"} 10\n"))
            #expect(metrics.body.contains("fanfare_emulator_devices{hub=\"news\"} 10\n"))
        }
    }

    @Test func anExpiredRegistrationGetsNothingAndIsNamedOnce() async throws {
        try await Bench.run { bench in
            let body = Self.entry(
                "AppleTemplate",
                "<ExpirationTime>2027-01-15T07:59:59Z</ExpirationTime><Tags>a</Tags><DeviceToken>AA</DeviceToken>"
                    + "<BodyTemplate>{}</BodyTemplate>")
            let made = try await ask(bench, "POST", "/news/registrations", body)
            #expect(made.body.contains("<ExpirationTime>2027-01-15T07:59:59Z</ExpirationTime>"))
            for _ in 1...2 { #expect(try await bench.exchange(bench.send(to: "a")).status == 201) }
            #expect(bench.emulator.journal().map(\.reached) == [0, 0])
            let warning = bench.emulator.warnings.first { $0.kind == .expired }
            #expect(warning?.subject == (try id(made)))
            #expect(warning?.count == 2)
        }
    }

    @Test func aMethodThatIsNotThereIsRefused() async throws {
        try await Bench.run { bench in
            for (method, target) in [
                ("PUT", "/news/registrations"), ("GET", "/news/registrationids"), ("POST", "/news/registrations/1-2-3"),
                ("DELETE", "/news/tags/a/registrations"),
            ] {
                let reply = try await ask(bench, method, target, Self.phone, match: "*")
                #expect(reply.status == 405, "\(method) \(target)")
            }
            #expect(try await ask(bench, "POST", "/news/registrations", Self.phone, policy: "sender").status == 401)
        }
    }
}
