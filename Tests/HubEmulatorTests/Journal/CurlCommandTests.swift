import HTTPTypes
import PushModel
import Testing

@testable import HubEmulator

@Suite struct CurlCommandTests {
    private static let origin = "http://127.0.0.1:8099"

    private func request(
        _ headers: HTTPFields, authority: String = "127.0.0.1:8099",
        path: String = "/news/messages/?api-version=2020-06"
    ) throws -> SentRequest {
        SentRequest(
            try #require(
                EmulatorRequest(
                    HTTPRequest(
                        method: .post, scheme: "http", authority: authority, path: path, headerFields: headers))))
    }

    @Test func aSendIsWrittenAsACommandWithoutItsToken() throws {
        let sent = try request([
            .authorization: "SharedAccessSignature sr=a&sig=usable&se=1&skn=b", .format: "template", .tags: "World",
            .contentLength: "15", .userAgent: "sdk",
        ])
        #expect(
            CurlCommand(sent, body: #"{"m": "it's"}"#, at: Self.origin).text == #"""
                # Set first: TOKEN
                curl -sS -X POST 'http://127.0.0.1:8099/news/messages/?api-version=2020-06' \
                  -H "Authorization: $TOKEN" \
                  -H 'ServiceBusNotification-Format: template' \
                  -H 'ServiceBusNotification-Tags: World' \
                  --data-raw '{"m": "it'\''s"}'
                """#)
    }

    /// `Auth` is the secret of a browser's subscription.
    @Test(arguments: ["Authorization", "authorization", "Proxy-Authorization", "Cookie", "Auth"])
    func noSecretIsShown(name: String) throws {
        let sent = try request([try #require(HTTPField.Name(name)): "usable"])
        #expect(sent.headers == [.init(name: name, value: "•••")])
        #expect(!CurlCommand(sent, body: "", at: Self.origin).text.contains("usable"))
    }

    @Test func aBodyThatIsGoneIsAVariable() throws {
        let sent = try request([:])
        #expect(CurlCommand(sent, body: nil, at: Self.origin).text.hasPrefix("# Set first: BODY\ncurl"))
        #expect(!CurlCommand(sent, body: "", at: Self.origin).text.contains("data"))
    }

    /// What curl gets from a shell.
    private func arguments(of command: CurlCommand) async throws -> [String] {
        let ended = try await Program("sh")([
            "-c", "curl() { printf '%s\\0' \"$@\"; }\nTOKEN=t\n\(command.text)",
        ])
        #expect(ended.status == 0 && ended.errors.isEmpty, "\(ended)")
        return ended.output.split(separator: "\0", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// What ends the quotes runs as a command of its sender, in the shell of the person who repeats the send.
    @Test(arguments: [
        "\u{600}'; printf owned; '", "'\u{301}; printf owned; '", "\u{110BD}'$(printf owned)", "it's", "@/etc/hostname",
        "\u{600}'\u{301}'\u{600}'", "'\\''",
    ])
    func aShellGivesCurlTheVeryBody(body: String) async throws {
        let command = CurlCommand(try request([.tags: body]), body: body, at: Self.origin)
        let arguments = try await arguments(of: command)
        #expect(arguments.map { Array($0.utf8) }.last == Array(body.utf8))
        // Behind --data-binary a body that begins with @ names a file.
        #expect(arguments.suffix(2).first == "--data-raw")
        #expect(arguments.contains { Array($0.utf8) == Array("ServiceBusNotification-Tags: \(body)".utf8) })
    }

    /// The `Host` of a send may name any server, which would get body and token.
    @Test func theCommandGoesToTheEmulatorAndNoOtherServer() async throws {
        let sent = try request([:], authority: "evil.example:80", path: "/news/messages/?a={b,c}&d=[1-9]&e=\u{600}'")
        let arguments = try await arguments(of: CurlCommand(sent, body: "x", at: "https://localhost:1"))
        #expect(arguments.contains("https://localhost:1/news/messages/?a={b,c}&d=[1-9]&e=\u{600}'"))
        #expect(arguments.contains("--globoff") && !arguments.joined().contains("evil"))
    }

    /// A shell reads the command back to what was sent.
    @Test(arguments: ["plain", "it's", "''", "$HOME `id` \\ \"", "a\nb", "é 你", "\u{600}'", "'\u{301}"])
    func quotedTextReachesAProgramUnchanged(text: String) async throws {
        let ended = try await Program("bash")(["-c", "printf %s \(ShellText.quoted(text))"])
        #expect(ended.output == text)
    }
}
