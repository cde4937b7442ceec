import Logging
import Testing

@testable import Telemetry

@Suite struct RedactionTests {
    @Test(arguments: [
        (
            "Endpoint=sb://n.example/;SharedAccessKeyName=send;SharedAccessKey=c2VjcmV0+/=;EntityPath=news",
            "Endpoint=sb://n.example/;SharedAccessKeyName=send;SharedAccessKey=•••;EntityPath=news"
        ),
        ("sharedaccesskey=c2VjcmV0", "sharedaccesskey=•••"),
        ("SharedAccessKey%3Dc2VjcmV0%3D", "SharedAccessKey%3D•••"),
        ("SharedAccessSignature sr=https%3a%2f%2fh%2fnews&sig=c2VjcmV0%3d&se=1&skn=send", "SharedAccessSignature •••"),
        (
            "\"Authorization: SharedAccessSignature sr=x&sig=c2VjcmV0\" sent",
            "\"Authorization: SharedAccessSignature •••\" sent"
        ),
        ("?sr=x&sig=c2VjcmV0%3d&se=1", "?sr=x&sig=•••&se=1"),
        ("host=db password=secret user=me", "host=db password=••• user=me"),
        ("host=db password = 'se cr\\'et' user=me", "host=db password = '•••' user=me"),
        ("sslpassword=secret", "sslpassword=•••"),
        ("PASSWORD=secret", "PASSWORD=•••"),
        (
            "{\"password\": \"secret\", \"SharedAccessKey\":\"secret\", \"n\": 1}",
            "{\"password\": \"•••\", \"SharedAccessKey\":\"•••\", \"n\": 1}"
        ),
        ("postgresql://me:secret@db/fanfare", "postgresql://me:•••@db/fanfare"),
        ("connect to postgresql://me:se/c@ret@db:5432/x failed", "connect to postgresql://me:•••@db:5432/x failed"),
        ("https://me:secret@[::1]:99/", "https://me:•••@[::1]:99/"),
        ("password=secret and sig=secret, postgres://a:secret@b", "password=••• and sig=•••, postgres://a:•••@b"),
        ("cut off: password='secret", "cut off: password='•••"),
    ])
    func aSecretIsTakenOut(text: String, shown: String) {
        #expect(Redaction.masked(text) == shown)
        #expect(Redaction.masked(shown) == shown)
        #expect(!Redaction.masked(text).contains("c2VjcmV0"))
        #expect(!Redaction.masked(text).contains("secret"))
    }

    @Test(arguments: [
        "", "password authentication failed for user \"me\"", "SharedAccessKeyName=send", "password=", "sig", "sig=",
        "http://127.0.0.1:8099/news", "http://127.0.0.1:8099/mail/a@b.example", "https://me@host/x",
        "see https://host/a:b@c", "design=1; 漢字 ://", "SharedAccessSignature",
    ])
    func whatIsNoSecretStays(text: String) {
        #expect(Redaction.masked(text) == text)
    }

    @Test func messagesNamesAndValuesAreAllRedacted() throws {
        let captured = Captured()
        captured.logger().error(
            "token SharedAccessSignature sr=secret refused",
            metadata: [
                "url": "postgres://me:secret@db", "deep": ["er": ["sig=secret"]], "password=secret": "x",
                "other": .stringConvertible(Talkative()), "list": ["password=secret"],
            ])
        captured.logger(.text).error("password=secret", metadata: ["deep": [["k": "sig=secret"]]])
        #expect(captured.lines.count == 2)
        #expect(captured.lines.allSatisfy { !$0.contains("secret") && $0.contains("•••") })
        #expect(try captured.objects(0..<1).first?["msg"] as? String == "token SharedAccessSignature ••• refused")
    }

    @Test func aNameThatSaysSecretIsEnough() throws {
        let captured = Captured()
        captured.logger().error(
            "x",
            metadata: [
                "password": "hunter2", "hub": ["connectionString": "hunter2"], "Authorization": ["hunter2"],
                "clientSecret": "hunter2", "hub.name": "news",
            ])
        #expect(!captured.lines[0].contains("hunter2"))
        #expect(try captured.objects().first?["hub.name"] as? String == "news")
    }

    @Test func aValueMarkedAsSecretIsNotShown() {
        let captured = Captured()
        captured.logger().error(
            "x",
            metadata: [
                "device": "\("hunter2", attributes: [Sensitivity.secret])",
                "list": [
                    "\("hunter2", attributes: [Sensitivity.secret])"
                ],
            ])
        #expect(!captured.lines[0].contains("hunter2"))
    }

    private struct Talkative: CustomStringConvertible, Sendable {
        var description: String { "SharedAccessKey=secret" }
    }
}
