import Glibc
import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10))) struct LibCurlTests {
    @Test func aBrokenPipeDoesNotEndTheProcess() async {
        await #expect(processExitsWith: .success) {
            let client = try HTTPClient()
            await client.shutdown()
            kill(getpid(), SIGPIPE)
        }
    }
}
