import Foundation
import Testing
import VectorSupport

@testable import Signing

@Suite struct ServiceAccountTests {
    private static func file() throws -> [String: Any] {
        try #require(Vectors.object("fcm-apns/fcm-oauth")["service_account"] as? [String: Any])
    }

    private static func text(_ members: [String: Any]) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self)
    }

    private func parse(_ change: (inout [String: Any]) -> Void) throws -> Result<ServiceAccount, ServiceAccountError> {
        var members = try Self.file()
        change(&members)
        return parse(try Self.text(members))
    }

    private func parse(_ text: String) -> Result<ServiceAccount, ServiceAccountError> {
        Result { () throws(ServiceAccountError) in try ServiceAccount(parsing: text) }
    }

    private func error(_ result: Result<ServiceAccount, ServiceAccountError>) -> ServiceAccountError? {
        if case .failure(let error) = result { error } else { nil }
    }

    @Test func theAccountOfTheVectorsIsRead() throws {
        let account = try parse { _ in }.get()
        #expect(account.project == "example-project")
        #expect(account.email == "push-sender@example-project.iam.gserviceaccount.com")
        #expect(account.keyID == "0123456789abcdef0123456789abcdef01234567")
        #expect(account.tokenAddress.text == "https://oauth2.googleapis.com/token")
        #expect(account.tokenAddress.host == "oauth2.googleapis.com")
        #expect(account.key.bits == 2048)
        #expect(try account == parse { _ in }.get())
    }

    @Test func everyValidationOfTheVectorsHolds() throws {
        let cases = try Vectors.objects("fcm-apns/fcm-oauth", "service_account_validation")
        #expect(cases.count == 5)
        for vector in cases {
            let member = try #require(vector["drop"] as? String)
            let result = try parse { $0[member] = nil }
            if vector["expect"] as? String == "config_error" {
                #expect(error(result)?.description == "\(member) is missing")
            } else {
                #expect(try result.get().keyID == nil, "\(member)")
            }
            #expect(try error(parse { $0[member] = NSNull() }) == error(result), "null is as good as absent")
        }
    }

    @Test(arguments: ServiceAccountError.Member.allCases)
    func everyMemberIsAText(member: ServiceAccountError.Member) throws {
        for value in [7, true, ["a"], ["a": "b"]] as [Any] {
            #expect(try error(parse { $0[member.rawValue] = value }) == .notText(member))
        }
        #expect(try error(parse { $0[member.rawValue] = "" }) == .form(member))
    }

    @Test func anotherKindOfCredentialIsRefused() throws {
        for type in ["authorized_user", "external_account", "Service_Account"] {
            #expect(try error(parse { $0["type"] = type }) == .otherType)
        }
    }

    /// What the console offers first, for the app.
    @Test func theFileOfTheAppIsNamed() throws {
        let file =
            #"{"project_info": {"project_id": "p"}, "client": [{"client_info": {}}], "configuration_version": "1"}"#
        let refusal = error(parse(file))
        #expect(refusal == .ofApp)
        #expect(refusal?.description.contains("google-services.json") == true)
        #expect(refusal?.description.contains("Project settings, Service accounts") == true)
    }

    @Test(arguments: [
        "a b@c", "no-at", "a@b\"", "a@b\\", "a@\u{e9}", "a@b\n", String(repeating: "a", count: 320) + "@b",
    ])
    func anEmailFitsIntoAClaim(email: String) throws {
        #expect(try error(parse { $0["client_email"] = email }) == .form(.email))
    }

    @Test(arguments: ["a/b", "../x", "a?b", "a b", "a\u{0}"])
    func aProjectFitsIntoAURL(project: String) throws {
        #expect(try error(parse { $0["project_id"] = project }) == .form(.project))
    }

    @Test(arguments: [
        ("http://127.0.0.1:8099/token", nil), ("http://localhost/token", nil), ("http://[::1]:1/token", nil),
        ("https://OAuth2.example:8443/a/b", nil), ("http://oauth2.googleapis.com/token", WebAddressError.plainHTTP),
        ("http://127.0.0.1.evil.example/", .plainHTTP), ("ftp://a/b", .scheme), ("sb://a/b", .scheme),
        ("oauth2.googleapis.com/token", .form), ("https://me:x@a/b", .form), ("https://a/b?c", .form),
        ("https://a/b#c", .form), ("https:///b", .form), ("https://a:0/b", .form), ("https://a/b c", .form),
        ("https://a/\u{e9}", .form), ("https://a/" + String(repeating: "b", count: 2_000), .form),
    ])
    func secretsGoToHTTPSOrLoopbackOnly(address: String, refusal: WebAddressError?) throws {
        let result = try parse { $0["token_uri"] = address }
        #expect(error(result) == refusal.map(ServiceAccountError.address))
    }

    @Test func anUnusableKeyIsNamed() throws {
        let refused = try Vectors.objects("fcm-apns/account_keys", "refused")
        #expect(refused.count == 5)
        for vector in refused {
            let error = error(try parse { $0["private_key"] = vector["pem"] })
            let says = try #require(vector["says"] as? String)
            #expect(try #require(error).description.hasPrefix("private_key "), "\(vector["case"] ?? "")")
            #expect(try #require(error).description.contains(says), "\(vector["case"] ?? "")")
        }
    }

    @Test func aDamagedKeyIsNamed() throws {
        let pem = try #require(Self.file()["private_key"] as? String)
        func error(_ pem: String) throws -> ServiceAccountError? {
            self.error(try parse { $0["private_key"] = pem })
        }
        #expect(try error(String(pem.dropLast(40))) == .key(.cutOff))
        #expect(try error(pem.replacing("\n", with: "\\n")) == .key(.escapedLines))
        #expect(try error("MIIEvg") == .key(.notPEM))
        let lines = pem.split(separator: "\n")
        #expect(try error(([lines[0]] + lines[5...]).joined(separator: "\n")) == .key(.unreadable))
        #expect(try error("\n" + pem + "\n\n") == nil, "blanks around it do no harm")
    }

    /// Still a key in form, whose numbers do not belong together.
    @Test func aKeyWithAnotherDigitIsRefusedOrSigns() throws {
        let pem = Array(try #require(Self.file()["private_key"] as? String).utf8)
        let message = Array("a message".utf8)
        var refused = 0
        for place in stride(from: 40, to: pem.count - 40, by: 83) where pem[place] != UInt8(ascii: "\n") {
            var other = pem
            other[place] = pem[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            do throws(RSAKeyError) {
                let key = try RSAKey(pem: Secret(String(decoding: other, as: UTF8.self)))
                #expect(key.verifies(try key.sign(message), of: message))
            } catch {
                refused += 1
            }
        }
        #expect(refused > 5)
    }

    @Test func aTextThatIsNoFileIsNamed() throws {
        let file = try Self.text(Self.file())
        #expect(error(parse("\u{FEFF}" + file)) == nil, "a byte order mark does no harm")
        #expect(error(parse("")) == .empty && error(parse(" \n")) == .empty)
        #expect(error(parse(String(file.dropLast(300)))) == .cutOff)
        #expect(error(parse("/run/secrets/shop.json")) == .notJSON)
        #expect(error(parse("[]")) == .notJSON && error(parse("{a}")) == .notJSON)
        #expect(error(parse(file + String(repeating: " ", count: 70_000))) == .tooLarge(file.utf8.count + 70_000))
    }

    @Test func noErrorAndNoAccountShowsTheKey() throws {
        let pem = try #require(Self.file()["private_key"] as? String)
        let account = try parse { _ in }.get()
        var printed = "\(account) \(account.key)"
        dump(account, to: &printed)
        for broken in [String(pem.dropLast(40)), pem.replacing("\n", with: "\\n"), pem.replacing("MIIE", with: "AAAA")]
        {
            printed += "\(String(describing: try error(parse { $0["private_key"] = broken })))"
        }
        printed += "\(String(describing: error(parse(String(try Self.text(Self.file()).dropLast(50))))))"
        for line in pem.split(separator: "\n").dropFirst().dropLast() { #expect(!printed.contains(line.prefix(16))) }
    }
}
