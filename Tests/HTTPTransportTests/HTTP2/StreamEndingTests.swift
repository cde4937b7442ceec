import Testing

@testable import HTTPTransport

@Suite struct StreamEndingTests {
    private static let headers: [StreamEnding.Headers] = [.waiting, .collected, .handedOver]

    @Test func aFinalStatusIsAnAnswerHoweverTheStreamEnds() {
        for headers in Self.headers {
            for cause in [.closed(0), .closed(7), .closed(8), .cancelled, .connectionLost] as [StreamEnding.Cause] {
                for status in [200, 410, 503] {
                    #expect(StreamEnding(cause: cause, status: status, headers: headers).outcome == .answered)
                }
            }
        }
    }

    @Test(arguments: [
        (StreamEnding.Cause.closed(7), StreamEnding.Headers.handedOver, TransferOutcome.Class.notSent),
        (.closed(0), .handedOver, .unknown), (.closed(2), .handedOver, .unknown), (.closed(8), .handedOver, .unknown),
        (.closed(11), .handedOver, .unknown), (.closed(13), .handedOver, .unknown),
        (.cancelled, .waiting, .notSent),
        // What is among the bytes that leave next does leave while the connection lives.
        (.cancelled, .collected, .unknown), (.cancelled, .handedOver, .unknown),
        (.connectionLost, .waiting, .notSent), (.connectionLost, .collected, .notSent),
        (.connectionLost, .handedOver, .unknown),
    ])
    func withoutAStatusItIsWhatTheServerMayHaveRead(
        cause: StreamEnding.Cause, headers: StreamEnding.Headers, outcome: TransferOutcome.Class
    ) {
        for status in [0, 100, 103] {
            #expect(StreamEnding(cause: cause, status: status, headers: headers).outcome == outcome)
        }
    }
}
