import Glibc
import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10))) struct DescriptorLimitTests {
    @Test func theLimitIsRaisedOrTheSettingsAreRefused() async {
        await #expect(processExitsWith: .success) {
            func set(soft: rlim_t, hard: rlim_t) {
                var limit = rlimit(rlim_cur: soft, rlim_max: hard)
                #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            }
            set(soft: 300, hard: 1300)
            var settings = TransportSettings()
            settings.slots = 512
            let client = try HTTPClient(settings)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #expect(limit.rlim_cur == 1280)
            await client.shutdown()

            settings.slots = 1000
            let error = try #require(throws: TransportError.self) { try HTTPClient(settings) }
            #expect(error.description.contains("slots need 2256 open files"))
            #expect(error.description.contains("the hard limit is 1300"))
        }
    }
}
