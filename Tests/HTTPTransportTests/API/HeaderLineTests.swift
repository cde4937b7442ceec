import Testing

@testable import HTTPTransport

@Suite struct HeaderLineTests {
    @Test func anOrdinaryLineIsKeptAsItIs() throws {
        let line = try HeaderLine("ServiceBusNotification-Tags", "(news_World && locale_en) || user:1")
        #expect(line.name == "ServiceBusNotification-Tags")
        #expect(line.value == "(news_World && locale_en) || user:1")
    }

    @Test(arguments: [
        ("a\rb", UInt8(0x0D), 1), ("a\nb", 0x0A, 1), ("\r\nEvil: 1", 0x0D, 0), ("ab\0", 0x00, 2), ("a\tb", 0x09, 1),
        ("a\u{1F}", 0x1F, 1), ("a\u{7F}", 0x7F, 1), ("caf\u{E9}", 0xC3, 3),
    ])
    func noByteThatCouldEndTheLinePasses(value: String, byte: UInt8, offset: Int) {
        #expect(throws: HeaderError(name: "Tags", problem: .forbiddenByte(byte, offset: offset))) {
            try HeaderLine("Tags", value)
        }
    }

    @Test(arguments: ["a b", "a:b", "a\r\nb", "caf\u{E9}", "a\0", "(a)"])
    func aNameIsAToken(name: String) throws {
        let error = try #require(throws: HeaderError.self) { try HeaderLine(name, "x") }
        guard case .nameNotToken = error.problem else {
            Issue.record("\(error)")
            return
        }
    }

    @Test func anEmptyNameIsRefused() {
        #expect(throws: HeaderError(name: "", problem: .emptyName)) { try HeaderLine("", "x") }
    }

    /// libcurl leaves a blank header out, and a post without its tags goes to every device.
    @Test(arguments: ["", " ", "   "])
    func aBlankValueIsRefused(value: String) {
        #expect(throws: HeaderError(name: "Tags", problem: .blankValue)) { try HeaderLine("Tags", value) }
    }

    @Test(arguments: ["Content-Length", "transfer-encoding", "EXPECT", "Connection", "Host", "TE"])
    func headersOfTheTransportAreRefused(name: String) {
        #expect(throws: HeaderError(name: name, problem: .reservedName)) { try HeaderLine(name, "1") }
    }

    @Test func lengthsAreLimited() throws {
        _ = try HeaderLine("Tags", String(repeating: "x", count: 8192))
        _ = try HeaderLine(String(repeating: "x", count: 256), "x")
        #expect(throws: HeaderError(name: "Tags", problem: .valueTooLong(8193))) {
            try HeaderLine("Tags", String(repeating: "x", count: 8193))
        }
        #expect(throws: HeaderError(name: "", problem: .nameTooLong(257))) {
            try HeaderLine(String(repeating: "x", count: 257), "x")
        }
    }

    @Test func anErrorNamesTheOffsetAndNeverTheValue() throws {
        let secret = "SharedAccessSignature sig=top-secret"
        let error = try #require(throws: HeaderError.self) { try HeaderLine("Authorization", secret + "\n") }
        #expect(
            error.description == "value of header Authorization has byte 0x0A at offset 36; "
                + "only visible ASCII and space are allowed")
        let long = try #require(throws: HeaderError.self) {
            try HeaderLine("Authorization", String(repeating: secret, count: 300))
        }
        #expect(!long.description.contains("top-secret"))
        #expect(long.description.contains("at most 8192"))
        #expect(!String(reflecting: long).contains("top-secret"))
        // With name and value mixed up, the name is not shown either.
        let mixed = try #require(throws: HeaderError.self) { try HeaderLine(secret, "Authorization") }
        #expect(!String(reflecting: mixed).contains("top-secret"))
    }
}
