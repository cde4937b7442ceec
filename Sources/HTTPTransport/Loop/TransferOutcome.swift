import CLibcurl

/// How a transfer ended, and so whether its request may have left.
struct TransferOutcome {
    /// libcurl's result; `CURLE_ABORTED_BY_CALLBACK` when we abandoned the request.
    var code: CURLcode
    /// The last status received; 0: none.
    var status: Int
    /// How often libcurl was about to send the request, including the time we refused.
    var attempts: Int
    /// Bytes of the request that left, over all attempts.
    var bytesSent: Int

    enum Class {
        case answered
        case notSent
        case unknown
    }

    /// The rule of outcomes (docs/wire/libcurl.md, "What became of a request").
    ///
    /// A connect error alone proves nothing: when a kept connection dies under a request, libcurl opens a new one, and
    /// if that is refused it reports "could not connect" for a request that the hub may have read. So what counts is
    /// whether a send was ever begun. Before that, a status says nothing either: a handle that was abandoned before
    /// libcurl began still shows the status of the request before (found by a chaos run of 20 minutes).
    var outcome: Class {
        if attempts == 0 { return .notSent }
        if status >= 200 { return .answered }
        // The second attempt was refused, and the first had found its connection dead before it sent a byte.
        if attempts > 1, code == CURLE_ABORTED_BY_CALLBACK, bytesSent == 0 { return .notSent }
        return .unknown
    }

    /// libcurl's text about a failure, but for one: "Connection died, tried 5 times before giving up" counts what it began
    /// over the whole life of the handle, and reads as if this request had been sent five times.
    ///
    /// - Parameter attempts: how often this request was about to be sent.
    static func words(_ text: String, attempts: Int) -> String {
        guard text.hasPrefix("Connection died") else { return text }
        return switch attempts {
        case 0: "the connection ended before the request was sent"
        case 1: "the connection ended after the request was sent once, before an answer came"
        default: "the connection ended before an answer came, \(attempts) times"
        }
    }
}
