import Foundation
import FoundationXML
import Testing

@testable import HubEmulator

/// The XML of registrations, over the wire.
@Suite struct RegistrationBodyTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let body: String
        let reason: String

        /// Without the whole body, which may have 35 kB.
        var testDescription: String { "\(reason): \(body.suffix(120))" }
    }

    private static let refusals = [
        (
            RegistrationEntry.phone.replacing("<Tags>World, Sports</Tags>", with: "").replacing(
                "</DeviceToken>", with: "</DeviceToken><Tags>a</Tags>"), "order"
        ),
        (
            RegistrationEntry.entry("AppleTemplate", "<BodyTemplate>{}</BodyTemplate><DeviceToken>AA</DeviceToken>"),
            "order"
        ),
        (
            RegistrationEntry.entry(
                "AppleTemplate",
                "<DeviceToken>AA</DeviceToken><TemplateName>t</TemplateName><BodyTemplate>{}</BodyTemplate>"), "order"
        ),
        (RegistrationEntry.entry("Apple", "<Tags>a</Tags>"), "no DeviceToken"),
        (RegistrationEntry.entry("Apple", "<DeviceToken>XYZ</DeviceToken>"), "hex"),
        (RegistrationEntry.entry("Apple", "<Tag>a</Tag><DeviceToken>AA</DeviceToken>"), "has no element Tag"),
        (RegistrationEntry.entry("Apple", "<Tags>a b</Tags><DeviceToken>AA</DeviceToken>"), "An invalid tag 'a b'"),
        (
            RegistrationEntry.entry("Apple", "<Tags>a,$InstallationId:{b}</Tags><DeviceToken>AA</DeviceToken>"),
            "Tags can not start with $"
        ),
        (
            RegistrationEntry.entry("Apple", "<Tags>$UserId:{bob}</Tags><DeviceToken>AA</DeviceToken>"),
            "Tags can not start with $"
        ),
        (RegistrationEntry.entry("Apple", "<DeviceToken>AA</DeviceToken><DeviceToken>AA</DeviceToken>"), "twice"),
        (
            RegistrationEntry.entry("Apple", "<DeviceToken>AA</DeviceToken><BodyTemplate>{}</BodyTemplate>"),
            "has no element BodyTemplate"
        ),
        (RegistrationEntry.entry("AppleTemplate", "<DeviceToken>AA</DeviceToken>"), "no BodyTemplate"),
        (
            RegistrationEntry.entry("AppleTemplate", "<DeviceToken>AA</DeviceToken><BodyTemplate>{</BodyTemplate>"),
            "template"
        ),
        (
            RegistrationEntry.entry(
                "AppleTemplate", "<DeviceToken>AA</DeviceToken><BodyTemplate>{}</BodyTemplate><Expiry>soon</Expiry>"),
            "Expiry"
        ),
        (
            RegistrationEntry.entry(
                "AppleTemplate", "<DeviceToken>AA</DeviceToken><BodyTemplate>{}</BodyTemplate><Priority>999</Priority>"),
            "Priority"
        ),
        (
            RegistrationEntry.entry(
                "AppleTemplate",
                "<DeviceToken>AA</DeviceToken><BodyTemplate>{}</BodyTemplate><ApnsHeaders><ApnsHeader><Header>x</Header><Value>y</Value></ApnsHeader></ApnsHeaders>"
            ), "apns-"
        ),
        (
            RegistrationEntry.entry(
                "AppleTemplate",
                "<DeviceToken>AA</DeviceToken><BodyTemplate>{}</BodyTemplate><TemplateName>\(String(repeating: "t", count: 201))</TemplateName>"
            ), "200"
        ),
        (
            RegistrationEntry.entry("Apple", "<ExpirationTime>soon</ExpirationTime><DeviceToken>AA</DeviceToken>"),
            "ExpirationTime"
        ),
        (
            RegistrationEntry.entry("Apple", "<PushVariables>[]</PushVariables><DeviceToken>AA</DeviceToken>"),
            "PushVariables"
        ),
        (
            RegistrationEntry.entry(
                "Apple",
                "<Tags>\((0..<890).map { "t\(1_000_000 + $0)" }.joined(separator: ","))</Tags><DeviceToken>AA</DeviceToken>"
            ), "890 tags"
        ),
        (RegistrationEntry.entry("Pear", "<DeviceToken>AA</DeviceToken>"), "no kind"),
        ("<entry/>", "not an Atom entry"), ("", "not an Atom entry"), ("<entry><content>", "not XML"),
        (String(RegistrationEntry.phone.dropLast(9)), "not XML"), (RegistrationEntry.phone + "<x>", "not XML"),
        // Without data: Foundation's parser crashed on it (found by the fuzzer).
        ("<?x?>", "processing instructions"),
        ("<entry><![CDATA[ ]]>\u{338}<?x?></entry>", "processing"),
        ("<?xml version=\"1.0\"?><?x?><entry/>", "processing"),
        (RegistrationEntry.phone.replacing("</Tags>", with: "</Tags><?x?>"), "processing"),
        (RegistrationEntry.phone.replacing("</Tags>", with: "&undefined;</Tags>"), "not XML"),
        (RegistrationEntry.phone.replacing("</Tags>", with: "</Tag>"), "not XML"), ("{}", "not an Atom entry"),
        ("<!DOCTYPE entry [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>" + RegistrationEntry.phone, "DOCTYPE"),
        ("<!-- --><!DOCTYPE\u{301} entry>" + RegistrationEntry.phone, "DOCTYPE"),
        (RegistrationEntry.phone.replacing("utf-8", with: "utf-16"), "UTF-8"),
        (
            RegistrationEntry.phone.replacing(
                "xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\"", with: "i:nil=\"true\""), "not XML"
        ),
        (RegistrationEntry.phone.replacing("<DeviceToken>", with: "<DeviceToken q:nil=\"true\">"), "not XML"),
        (RegistrationEntry.phone.replacing("version=\"1.0\" ", with: ""), "not XML"),
        (RegistrationEntry.phone.replacing("AA01", with: "\u{FFFE}"), "not XML"),
        (String(repeating: "<entry>", count: 5_000), "nested"),
        (RegistrationEntry.phone.replacing("</content>", with: "<AdmRegistrationDescription/></content>"), "two"),
    ]

    /// The kind of each platform, and the format that reaches it.
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
    func everyKindIsAcceptedAndReturned(kind: String, handle: String, format: String) async throws {
        try await EmulatorFixture.run { fixture in
            let native = try await fixture.registrations(
                "POST", "/news/registrations", RegistrationEntry.entry(kind, "<Tags>n</Tags>" + handle))
            #expect(native.status == 200, "\(native.body)")
            #expect(native.body.contains("<\(kind)RegistrationDescription "))
            #expect(native.body.contains("<Tags>n</Tags>" + handle + "</\(kind)RegistrationDescription>"))
            let template = try await fixture.registrations(
                "POST", "/news/registrations",
                RegistrationEntry.entry(
                    kind + "Template",
                    handle + #"<BodyTemplate><![CDATA[ {"x":"$(m)"} ]]></BodyTemplate><TemplateName>tn</TemplateName>"#)
            )
            #expect(template.status == 200, "\(template.body)")
            #expect(template.body.contains(#"<BodyTemplate><![CDATA[{"x":"$(m)"}]]></BodyTemplate>"#))
            #expect(template.body.contains("<TemplateName>tn</TemplateName>"))

            let token = fixture.token("sender")
            let sent = try await fixture.exchange(
                fixture.request(
                    token: token,
                    headers: ["ServiceBusNotification-Format": format, "ServiceBusNotification-Tags": "n"],
                    body: "{}"))
            #expect(sent.status == 201)
            #expect(try fixture.emulator.inbox(of: try native.registrationID(), at: "news").map(\.payload) == ["{}"])
            #expect(try await fixture.exchange(fixture.send(to: nil)).status == 201)
            let shown = try fixture.emulator.inbox(of: try template.registrationID(), at: "news")
            #expect(shown.map(\.payload) == [#"{"x":"x"}"#])
            #expect(shown.first?.template == "tn")
            // A registration's template name is not one of its tags.
            #expect(try await fixture.exchange(fixture.send(to: "tn")).status == 201)
            #expect(fixture.emulator.journal().map(\.reached) == [1, 1, 0])
        }
    }

    @Test func theOtherPartsOfATemplateAreKept() async throws {
        try await EmulatorFixture.run { fixture in
            let apple = try await fixture.registrations(
                "POST", "/news/registrations",
                RegistrationEntry.entry(
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
            let windows = try await fixture.registrations(
                "POST", "/news/registrations",
                RegistrationEntry.entry(
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

    @Test(arguments: refusals.map(Refusal.init))
    func aWrongBodyIsRefusedWithItsReason(refusal: Refusal) async throws {
        try await EmulatorFixture.run { fixture in
            let reply = try await fixture.registrations("POST", "/news/registrations", refusal.body)
            #expect(reply.status == 400)
            #expect(reply.body.contains(refusal.reason), "\(reply.body)")
            #expect(try fixture.emulator.devices(at: "news").isEmpty)
        }
    }

    /// The text of each element, by its name.
    private final class Reader: NSObject, XMLParserDelegate {
        private(set) var texts: [String: String] = [:]
        private var element = ""

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            element = name
            texts[name] = ""
        }
        func parser(_ parser: XMLParser, foundCharacters text: String) { texts[element]?.append(text) }
        func parser(_ parser: XMLParser, foundCDATA data: Data) {
            texts[element]?.append(String(decoding: data, as: UTF8.self))
        }
    }

    /// The end of a CDATA section is one character with U+0301 behind it, a quotation mark with U+0600 before it.
    @Test func whatIsReturnedIsXMLWhateverATemplateHolds() async throws {
        let body = "{\"x\":\"]]>\u{301}<evil/>]]>\"}"
        try await EmulatorFixture.run { fixture in
            let device = Installation(
                "d", pushChannel: .handle("AB"), templates: ["t\u{600}<\"\u{600}'": body])
            try fixture.emulator.register(device, at: "news")
            let reply = try await fixture.registrations("GET", "/news/registrations")
            let parser = XMLParser(data: Data(reply.body.utf8))
            let reader = Reader()
            parser.delegate = reader
            #expect(parser.parse() && reader.texts["evil"] == nil, "\(reply.body)")
            #expect(reader.texts["BodyTemplate"].map { Array($0.utf8) } == Array(body.utf8))
            #expect(reader.texts["TemplateName"] == "t\u{600}<\"\u{600}'")
        }
    }

    @Test(arguments: ["\u{600}\"\u{600}><evil/>", "\"\u{301}><evil/>"]) func noAddressEndsItsAttribute(query: String) {
        let xml = RegistrationXML(address: "http://h/\(query)", query: query, time: CivilTime(secondsSince1970: 0))
        let parser = XMLParser(data: Data(xml.feed([], next: query)))
        let reader = Reader()
        parser.delegate = reader
        #expect(parser.parse() && reader.texts["evil"] == nil)
    }

    @Test func aTooLargeBodyIsRefused() async throws {
        try await EmulatorFixture.run { fixture in
            let body = RegistrationEntry.entry("Apple", "<Tags>\(String(repeating: " ", count: 65_536))</Tags>")
            let reply = try await fixture.registrations("POST", "/news/registrations", body)
            #expect(reply.status == 413)
        }
    }
}
