import CLibcurl
import Testing

@testable import HTTPTransport

/// Whether a message may be sent again.
@Suite struct TransferOutcomeTests {
    @Test(arguments: [0, 100, 102, 103])
    func anAttemptWithoutAFinalStatusIsUnknown(status: Int) {
        for code in [CURLE_OPERATION_TIMEDOUT, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR] {
            #expect(TransferOutcome(code: code, status: status, attempts: 1, bytesSent: 0).outcome == .unknown)
            #expect(TransferOutcome(code: code, status: status, attempts: 1, bytesSent: 700).outcome == .unknown)
        }
    }

    @Test(arguments: [200, 201, 204, 302, 400, 401, 429, 500, 599])
    func aFinalStatusWinsOverLaterErrors(status: Int) {
        for code in [CURLE_OK, CURLE_WRITE_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2_STREAM, CURLE_OPERATION_TIMEDOUT] {
            #expect(TransferOutcome(code: code, status: status, attempts: 1, bytesSent: 700).outcome == .answered)
        }
    }

    @Test func withoutAnAttemptNothingWasSent() {
        for code in [
            CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_SSL_CONNECT_ERROR,
            CURLE_PEER_FAILED_VERIFICATION, CURLE_OPERATION_TIMEDOUT, CURLE_ABORTED_BY_CALLBACK,
        ] {
            #expect(TransferOutcome(code: code, status: 0, attempts: 0, bytesSent: 0).outcome == .notSent)
            // libcurl still reports the status of the request that the same handle carried before.
            #expect(TransferOutcome(code: code, status: 201, attempts: 0, bytesSent: 700).outcome == .notSent)
        }
    }

    @Test func aRefusedResendIsUnknownUnlessNoByteHadLeft() {
        let code = CURLE_ABORTED_BY_CALLBACK
        #expect(TransferOutcome(code: code, status: 0, attempts: 2, bytesSent: 814).outcome == .unknown)
        #expect(TransferOutcome(code: code, status: 0, attempts: 2, bytesSent: 0).outcome == .notSent)
        #expect(TransferOutcome(code: code, status: 0, attempts: 1, bytesSent: 0).outcome == .unknown)
    }

    /// libcurl opened a new connection after the kept one had died under the request, and that was refused.
    @Test(arguments: [CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST, CURLE_SSL_CONNECT_ERROR])
    func aConnectErrorAfterAnAttemptProvesNothing(code: CURLcode) {
        #expect(TransferOutcome(code: code, status: 0, attempts: 1, bytesSent: 814).outcome == .unknown)
    }

    /// libcurl's count is of the handle's life.
    @Test func aDeadConnectionIsSaidWithWhatHappenedToThisRequest() {
        let text = "Connection died, tried 5 times before giving up"
        #expect(
            TransferOutcome.words(text, attempts: 1)
                == "the connection ended after the request was sent once, before an answer came")
        #expect(TransferOutcome.words(text, attempts: 0) == "the connection ended before the request was sent")
        #expect(TransferOutcome.words("Failed to connect", attempts: 1) == "Failed to connect")
    }
}
