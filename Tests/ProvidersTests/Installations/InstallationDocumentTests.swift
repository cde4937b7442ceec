import Foundation
import Testing
import VectorSupport

@testable import Providers

@Suite struct InstallationDocumentTests {
    /// The vectors' documents, byte for byte.
    private func vector(_ member: String) throws -> [(id: String, put: Data)] {
        try Vectors.objects("installations", member).map { item in
            let name = (item["id"] ?? item["reason"]) as? String
            return (try #require(name), try JSONSerialization.data(withJSONObject: try #require(item["put"])))
        }
    }

    @Test func everyInstallationOfTheVectorsIsAccepted() throws {
        let cases = try vector("cases")
        #expect(cases.count == 4)
        for (id, put) in cases {
            let document = try InstallationDocument(json: put)
            #expect(document.bytes == Array(put), "\(id)")
            #expect(!document.id.isEmpty)
        }
    }

    @Test func everyInvalidInstallationOfTheVectorsIsRefused() throws {
        let invalid = try vector("invalid")
        #expect(invalid.count == 4)
        for (reason, put) in invalid {
            #expect(throws: InvalidInstallation.self, "\(reason)") { try InstallationDocument(json: put) }
        }
    }

    @Test(arguments: [
        ("", "it is not a JSON object"), ("[]", "it is not a JSON object"), ("{", "it is not a JSON object"),
        (#"{"platform": "apns", "pushChannel": "00"}"#, "installationId: it is missing"),
        (#"{"installationId": 7, "platform": "apns", "pushChannel": "00"}"#, "installationId: it is not a text"),
        (#"{"installationId": "", "platform": "apns", "pushChannel": "00"}"#, "installationId: it is empty"),
        (#"{"installationId": "i", "platform": "sms", "pushChannel": "00"}"#, "platform: it must be one of apns, wns"),
        (#"{"installationId": "i", "platform": "apns", "pushChannel": "123"}"#, "even number of hex digits"),
        (#"{"installationId": "i", "platform": "gcm", "pushChannel": {}}"#, "pushChannel: it is not a text"),
        (#"{"installationId": "i", "platform": "gcm", "pushChannel": ""}"#, "pushChannel: it is empty"),
        (#"{"installationId": "i", "platform": "browser", "pushChannel": "x"}"#, "that of a browser is not JSON"),
        (#"{"installationId": "i", "platform": "browser", "pushChannel": {}}"#, "endpoint, p256dh and auth"),
        (#"{"installationId": "i", "platform": "gcm", "pushChannel": "x", "tags": "a"}"#, "tags: it is not a list"),
        (
            #"{"installationId": "i", "platform": "gcm", "pushChannel": "x", "tags": ["a", "b c"]}"#,
            "tags[1]: character"
        ),
        (
            #"{"installationId": "i", "platform": "gcm", "pushChannel": "x", "templates": {"t": {}}}"#,
            "templates.t.body: it is missing"
        ),
    ])
    func anErrorNamesTheWrongField(json: String, words: String) throws {
        let error = #expect(throws: InvalidInstallation.self) { try InstallationDocument(json: json.utf8) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test func anInstallationReadFromTheServiceCanBePutAgain() throws {
        let read = """
            {"installationId":"i","pushChannel":"aa00","pushChannelExpired":false,"platform":"APNS",
             "expirationTime":"9999-12-31T23:59:59.9999999Z","tags":null,"somethingNew":{"a":[1]}}
            """
        #expect(try InstallationDocument(json: read.utf8).platform == "apns")
    }

    @Test func aHandleIsNeverInAnError() throws {
        let json = #"{"installationId": "i", "platform": "apns", "pushChannel": "c0ffee-secret"}"#
        let error = #expect(throws: InvalidInstallation.self) { try InstallationDocument(json: json.utf8) }
        #expect(error.map { !$0.description.contains("c0ffee") } == true)
    }
}
