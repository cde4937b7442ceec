import HTTPTransport
import Signing
import Testing

@testable import Providers

@Suite struct PassHeadersTests {
    private static let certificate = Pass(header: nil, number: 1, expiry: 1, credential: 7)

    @Test func aPassWithoutAHeaderAddsNone() throws {
        let headers = PassHeaders(others: [try HeaderLine("content-type", "application/json")])
        #expect(try headers.lines(for: Self.certificate).map(\.name) == ["content-type"])
        #expect(try headers.lines(for: TestFCM.pass()).map(\.name) == ["Authorization", "content-type"])
        #expect(try headers.headers(for: Self.certificate) === headers.headers(for: Self.certificate))
        #expect(try headers.headers(for: Self.certificate) !== headers.headers(for: TestFCM.pass()))
    }

    @Test func aServiceThatNeedsAHeaderGetsNoRequestWithoutOne() throws {
        let hub = try TestHub.hub()
        do throws(InvalidPost) {
            _ = try hub.request(for: TestHub.post(), id: 1, with: Self.certificate)
            Issue.record("it has left without")
        } catch {
            guard case .header(let fault) = error else { return #expect(Bool(false), "\(error)") }
            #expect(fault.name == "Authorization" && fault.problem == .blankValue)
        }
    }
}
