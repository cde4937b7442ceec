import Testing

@testable import Providers

@Suite struct RegistrationPageTests {
    private func entry(_ tags: String?, template: String = "") -> String {
        """
        <entry m:etag="W/&quot;1&quot;" xmlns:m="urn:m"><id>https://x/registrations/1</id><content type="application/xml">
        <AppleTemplateRegistrationDescription xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect">
        <ETag>1</ETag>\(tags.map { "<Tags>\($0)</Tags>" } ?? "")<DeviceToken>AA</DeviceToken>\(template)
        </AppleTemplateRegistrationDescription></content></entry>
        """
    }

    private func page(_ entries: String...) -> [UInt8] {
        let head =
            #"<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title type="text">Registrations</title>"#
        return Array((head + entries.joined() + "</feed>").utf8)
    }

    @Test func eachInstallationIsListedOnce() throws {
        let page = try #require(
            RegistrationPage(
                body: page(
                    entry("World,$InstallationId:{i-1}"), entry("$InstallationId:{i-1},World,t"),
                    entry("$installationid:{i-2}"), entry("World"), entry(nil))))
        #expect(page.installations == ["i-1", "i-2"])
        #expect(page.count == 5)
        #expect(page.others == 2)
    }

    @Test func eachRegistrationHasItsDeviceAndItsTags() throws {
        let own = "<RegistrationId>12-34-5</RegistrationId>"
        let page = try #require(
            RegistrationPage(
                body: page(
                    entry(" World , $InstallationId:{a,World2,b} ,x ", template: own),
                    entry("$InstallationId:{}},World"),
                    entry("World,Science", template: own), entry(nil, template: own), entry("$UserId:{u}"))))
        #expect(
            page.registrations == [
                .init(device: "$InstallationId:{a,World2,b}", tags: ["World", "$InstallationId:{a,World2,b}", "x"]),
                .init(device: "$InstallationId:{}}", tags: ["$InstallationId:{}}", "World"]),
                .init(device: "12-34-5", tags: ["World", "Science"]), .init(device: "12-34-5", tags: []),
                .init(device: "", tags: ["$UserId:{u}"]),
            ])
    }

    @Test func aTemplateCannotPoseAsARegistration() throws {
        let evil = "<BodyTemplate><![CDATA[</entry><entry><Tags>$InstallationId:{x}</Tags>]]></BodyTemplate>"
        let page = try #require(RegistrationPage(body: page(entry("$InstallationId:{i}", template: evil))))
        #expect(page.installations == ["i"])
        #expect(page.count == 1)
    }

    @Test func anIdIsReadUnescaped() throws {
        let page = try #require(
            RegistrationPage(
                body: page(entry("x,$InstallationId:{a&amp;b=},y"), entry("$InstallationId:{a,b}c},$UserId:{u}"))))
        #expect(page.installations == ["a&b=", "a,b}c"])
    }

    @Test func anEmptyListIsAPage() throws {
        #expect(RegistrationPage(body: page())?.count == 0)
        #expect(RegistrationPage(body: Array("<feed/>".utf8))?.count == 0)
    }

    @Test func aTruncatedPageIsRefused() throws {
        let whole = page(entry("$InstallationId:{i}"), entry("$InstallationId:{j}"))
        #expect(RegistrationPage(body: whole) != nil)
        #expect(RegistrationPage(body: whole.dropLast(10)) == nil)
        #expect(RegistrationPage(body: Array(whole.prefix(whole.count / 2))) == nil)
        #expect(RegistrationPage(body: Array("<html></html>".utf8)) == nil)
        #expect(RegistrationPage(body: []) == nil)
    }

    /// 64 kB, the limit of a reply. A regular expression read every byte once for each possible beginning.
    @Test(arguments: ["$InstallationId:{a,", "} ", "}", ", ", ",", " ", "$InstallationId:{a} ", "$InstallationId:{}"])
    func repetitiveTagsAreReadInOnePass(piece: String) throws {
        let tags = String(repeating: piece, count: 65_000 / piece.utf8.count)
        for tags in [tags + "x", "$InstallationId:{" + tags + "x"] {
            let page = try #require(RegistrationPage(body: page(entry(tags))))
            #expect(page.others == 1)
        }
        #expect(RegistrationPage(body: page(entry(tags + ",$InstallationId:{i}")))?.installations.count == 1)
    }

    @Test(
        arguments: [
            ("$InstallationId:{i}", "i"), (" $INSTALLATIONID:{i} ", "i"), ("a,\t$installationId:{i}\n,b", "i"),
            ("$InstallationId:{}}", "}"), ("$InstallationId:{},b}", "},b"), ("$InstallationId:{a} b},c", "a} b"),
            ("$InstallationId:[i}", nil), ("$InstallationId:{}", nil), ("$InstallationId:{i", nil),
            ("x$InstallationId:{i}", nil),
            ("$InstallationId:{", nil), ("$UserId:{$InstallationId:{i}", nil), ("", nil), (",", nil),
            ("b,$InstallationId:{é}", "é"),
        ] as [(String, String?)])
    func anIdEndsAtTheBraceThatEndsItsTag(tags: String, id: String?) throws {
        let page = try #require(RegistrationPage(body: page(entry(tags))))
        #expect(page.installations == (id.map { [$0] } ?? []))
    }
}
