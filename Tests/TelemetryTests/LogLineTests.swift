import Logging
import Testing

@testable import Telemetry

@Suite struct LogLineTests {
    @Test func messagesNamesAndValuesAreMasked() throws {
        let captured = CapturedLog()
        captured.logger().error(
            "token SharedAccessSignature sr=secret refused",
            metadata: [
                "url": "postgres://me:secret@db", "deep": ["er": ["sig=secret"]], "password=secret": "x",
                "other": .stringConvertible(RevealingValue()), "list": ["password=secret"],
            ])
        captured.logger(.text).error("password=secret", metadata: ["deep": [["k": "sig=secret"]]])
        #expect(captured.lines.count == 2)
        #expect(captured.lines.allSatisfy { !$0.contains("secret") && $0.contains("•••") })
        #expect(try captured.objects(0..<1).first?["msg"] as? String == "token SharedAccessSignature ••• refused")
    }

    @Test func aSecretNameIsEnough() throws {
        let captured = CapturedLog()
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
        let captured = CapturedLog()
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

    private struct RevealingValue: CustomStringConvertible, Sendable {
        var description: String { "SharedAccessKey=secret" }
    }
}
