import CLibcurl

/// How a transfer ended, in the numbers that decide what may be said about it.
struct TransferOutcome {
    /// libcurl's result; `CURLE_ABORTED_BY_CALLBACK` when we gave the request up ourselves.
    var code: CURLcode
    /// The last status line received; 0 for none.
    var status: Int
    /// How often libcurl was about to send the request, the refused time included.
    var attempts: Int
    /// Bytes of the request that left, over all attempts.
    var bytesSent: Int

    enum Class {
        case answered
        case notSent
        case unknown
    }

    /// The rule of outcomes (transport.md section 5.1).
    ///
    /// A connect error proves nothing by its number alone: when a kept connection dies under a request, libcurl opens a
    /// fresh one, and if that is refused it reports "could not connect" for a request that the hub may have read. So what
    /// counts is whether a send was ever begun. Before that a status says nothing either: a handle that was given up before
    /// libcurl began with it still shows the one of the request it carried before (a chaos run of 20 minutes found that).
    var outcome: Class {
        if attempts == 0 { return .notSent }
        if status >= 200 { return .answered }
        // The second attempt was refused, and the first had found its connection dead before a byte went out.
        if attempts > 1, code == CURLE_ABORTED_BY_CALLBACK, bytesSent == 0 { return .notSent }
        return .unknown
    }
}
