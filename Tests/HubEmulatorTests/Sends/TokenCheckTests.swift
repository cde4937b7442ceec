import HTTPTypes
import Signing
import Testing

@testable import HubEmulator

@Suite struct TokenCheckTests {
    private let check = TokenCheck([SASPolicy(name: "p", key: Secret("k"))])

    private func call(_ path: String, host: String = "127.0.0.1", expiry: Int64 = 100, key: String = "k")
        -> EmulatorRequest?
    {
        let token = SAS.token(resource: "http://127.0.0.1/news", keyName: "p", key: Secret(key), expiry: expiry)
        return EmulatorRequest(
            HTTPRequest(
                method: .post, scheme: "http", authority: host, path: path,
                headerFields: [.authorization: token.header.reveal()]))
    }

    /// A cached verdict does not apply to another path, host, key or second.
    @Test func aVerdictIsCachedForOneRequestOnly() throws {
        let valid = SASVerification.valid(policy: "p", rights: Set(Right.allCases))
        for _ in 0..<2 {
            #expect(check.verify(try #require(call("/news/messages")), second: 99) == valid)
            #expect(check.verify(try #require(call("/sports/messages")), second: 99) == .wrongScope)
            #expect(check.verify(try #require(call("/news/messages", host: "other")), second: 99) == .wrongScope)
            #expect(check.verify(try #require(call("/news/messages", key: "x")), second: 99) == .invalidSignature)
        }
        #expect(check.verify(try #require(call("/news/messages")), second: 100) == .expired)
        #expect(check.verify(try #require(call("/news/messages")), second: 99) == valid)
    }

    @Test func manyTokensDoNotChangeAVerdict() throws {
        for number in 0..<1_000 {
            let stranger = try #require(call("/news/messages", key: "\(number)"))
            #expect(check.verify(stranger, second: 5) == .invalidSignature)
        }
        let valid = SASVerification.valid(policy: "p", rights: Set(Right.allCases))
        #expect(check.verify(try #require(call("/news/messages")), second: 5) == valid)
    }
}
