import Concurrency
import Testing

@Suite struct FaultPaceTests {
    @Test func theFirstFaultAndEveryTwentiethIsLogged() {
        var pace = FaultPace()
        let logged = (1...45).filter { _ in pace.failed() }
        #expect(logged == [1, 20, 40])
        pace.succeeded()
        let isLogged = pace.failed()
        #expect(isLogged, "a new trouble")
    }

    @Test func itWaitsLongerAfterEachFault() {
        var pace = FaultPace()
        var pauses: [Double] = []
        for _ in 1...7 {
            _ = pace.failed()
            pauses.append(pace.pause)
        }
        #expect(pauses == [1, 2, 3, 4, 5, 5, 5])
    }
}
