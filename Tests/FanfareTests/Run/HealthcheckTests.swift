import ProgramSupport
import Testing

@Suite struct HealthcheckTests {
    @Test func aWorkerThatDoesNotAnswerIsNotWell() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare("healthcheck", "--at", "127.0.0.1:9")
        #expect(ended.status == 1)
        #expect(ended.output.hasPrefix("not ok: http://127.0.0.1:9/readyz does not answer: "))
        let document = try await site.fanfare("healthcheck", "--live", "--at", "0.0.0.0:9", "--json")
            .json([String: Any].self)
        #expect(document["ok"] as? Bool == false)
        #expect(document["url"] as? String == "http://127.0.0.1:9/livez")
    }

    @Test func aConsoleThatIsOffCannotBeAsked() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare("healthcheck", "--set", "console.listen=off")
        #expect(ended.status == 78)
        #expect(ended.errors.contains("Set console.listen"))
    }

    @Test func anAddressThatIsNoneIsRefused() async throws {
        let site = try await Site.make()
        #expect(try await site.fanfare("healthcheck", "--at", "nowhere").status == 64)
    }
}
