import HTTPTypes

/// What goes back for one request, and how the connection fares.
struct Answer: Sendable {
    var status: Int
    var headers = HTTPFields()
    var body: [UInt8] = []
    /// Pause between the bytes of the body. 0: it leaves at once.
    var trickleMilliseconds = 0
    /// Only half of the body leaves, although all of it is announced.
    var isCutShort = false
    var closesConnection = false
    /// Where the connection is closed, by RST instead of FIN.
    var resetsConnection = false

    static func xml(_ status: Int, _ body: [UInt8] = []) -> Answer {
        Answer(status: status, headers: [.contentType: "application/xml; charset=utf-8"], body: body)
    }

    static func json(_ body: [UInt8], status: Int = 200) -> Answer {
        Answer(status: status, headers: [.contentType: "application/json; charset=utf-8"], body: body)
    }

    /// The service's form of an error, with a `TrackingId` that is also in the text.
    static func refusal(_ refusal: ServiceError, tracking: String, at time: CivilTime) -> Answer {
        var answer = xml(refusal.status, refusal.body(tracking: tracking, at: time))
        answer.headers[.trackingID] = tracking
        return answer
    }
}
