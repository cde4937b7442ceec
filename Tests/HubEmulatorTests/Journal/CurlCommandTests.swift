import HTTPTypes
import Testing

@testable import HubEmulator

@Suite struct CurlCommandTests {
    private func request(_ headers: HTTPFields) throws -> SentRequest {
        SentRequest(
            try #require(
                EmulatorRequest(
                    HTTPRequest(
                        method: .post, scheme: "http", authority: "127.0.0.1:8099",
                        path: "/news/messages/?api-version=2020-06", headerFields: headers))))
    }

    @Test func aSendIsWrittenAsACommandWithoutItsToken() throws {
        let sent = try request([
            .authorization: "SharedAccessSignature sr=a&sig=usable&se=1&skn=b", .format: "template", .tags: "World",
            .contentLength: "15", .userAgent: "sdk",
        ])
        #expect(
            CurlCommand(sent, body: #"{"m": "it's"}"#).text == #"""
                # Set first: TOKEN
                curl -sS -X POST 'http://127.0.0.1:8099/news/messages/?api-version=2020-06' \
                  -H "Authorization: $TOKEN" \
                  -H 'ServiceBusNotification-Format: template' \
                  -H 'ServiceBusNotification-Tags: World' \
                  --data-binary '{"m": "it'\''s"}'
                """#)
    }

    /// `Auth` is the secret of a browser's subscription.
    @Test(arguments: ["Authorization", "authorization", "Proxy-Authorization", "Cookie", "Auth"])
    func noSecretIsShown(name: String) throws {
        let sent = try request([try #require(HTTPField.Name(name)): "usable"])
        #expect(sent.headers == [.init(name: name, value: "•••")])
        #expect(!CurlCommand(sent, body: "").text.contains("usable"))
    }

    @Test func aBodyThatIsGoneIsAVariable() throws {
        #expect(CurlCommand(try request([:]), body: nil).text.hasPrefix("# Set first: BODY\ncurl"))
        #expect(!CurlCommand(try request([:]), body: "").text.contains("data"))
    }

    /// A shell reads the command back to what was sent.
    @Test(arguments: ["plain", "it's", "''", "$HOME `id` \\ \"", "a\nb", "é 你"])
    func quotedTextReachesAProgramUnchanged(text: String) async throws {
        let ended = try await Program("bash")(["-c", "printf %s \(CurlCommand.quoted(text))"])
        #expect(ended.output == text)
    }
}
