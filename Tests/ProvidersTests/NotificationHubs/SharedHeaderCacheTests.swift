import HTTPTransport
import PushModel
import Testing

@testable import Providers

@Suite struct SharedHeaderCacheTests {
    @Test func requestsOfOneTokenAndFormatShareTheirHeaders() throws {
        let hub = try TestHub.hub()
        let pass = TestHub.pass()
        let first = try hub.request(for: TestHub.post(), id: 1, with: pass)
        for target in [Target.tag("a"), .tag("b"), .broadcast] {
            let next = try hub.request(for: TestHub.post(to: target), id: 2, with: TestHub.pass())
            #expect(next.shared === first.shared)
        }
    }

    @Test func eachFormatAndRawHaveTheirOwnHeaders() throws {
        let hub = try TestHub.hub()
        let pass = TestHub.pass()
        func shared(_ post: Post) throws -> ObjectIdentifier {
            ObjectIdentifier(try hub.request(for: post, id: 1, with: pass).shared)
        }
        let raw = TestHub.post(format: "windows", headers: [("X-WNS-Type", "wns/raw")])
        let toast = TestHub.post(format: "windows", headers: [("X-WNS-Type", "wns/toast")])
        let posts = [TestHub.post(), TestHub.post(format: "apple"), raw, toast]
        #expect(Set(try posts.map(shared)).count == 4)
        #expect(try posts.map(shared) == posts.map(shared), "still the same after the others")
        #expect(try shared(toast) == shared(TestHub.post(format: "WINDOWS")))
    }

    @Test func aFreshTokenMakesFreshHeaders() throws {
        let hub = try TestHub.hub()
        let old = try hub.request(for: TestHub.post(), id: 1, with: TestHub.pass(expiry: 1000))
        let new = try hub.request(for: TestHub.post(), id: 1, with: TestHub.pass(expiry: 2000))
        let again = try hub.request(for: TestHub.post(), id: 1, with: TestHub.pass(expiry: 2000))
        #expect(new.shared !== old.shared && again.shared === new.shared)
    }

    @Test func lanesWithAFreshTokenBuildOneListTogether() async throws {
        let hub = try TestHub.hub()
        let pass = TestHub.pass()
        let built = try await withThrowingTaskGroup(of: SharedHeaders.self) { group in
            for _ in 0..<200 {
                group.addTask { try hub.request(for: TestHub.post(), id: 1, with: pass).shared }
            }
            return try await group.reduce(into: [SharedHeaders]()) { $0.append($1) }
        }
        #expect(built.count == 200 && Set(built.map(ObjectIdentifier.init)).count == 1)
    }

    @Test func noPartOfAHubPrintsItsToken() throws {
        let hub = try TestHub.hub()
        let pass = TestHub.pass()
        let request = try hub.request(for: TestHub.post(), id: 1, with: pass)
        var printed = "\(hub) \(request)"
        dump(hub, to: &printed)
        dump(request, to: &printed)
        #expect(!printed.contains("sig=") && !printed.contains("SharedAccessSignature"))
    }
}
