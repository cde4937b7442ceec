import HTTPServer
import HTTPTypes

// The listener's own types, as every desk speaks of them.
typealias Response = HTTPServer.Response
typealias UploadedBody = HTTPServer.UploadedBody

extension Response {
    static func xml(_ status: Int, _ body: [UInt8] = []) -> Response {
        Response(status: status, headers: [.contentType: "application/xml; charset=utf-8"], body: body)
    }

    static func json(_ body: [UInt8], status: Int = 200) -> Response {
        Response(status: status, headers: [.contentType: "application/json; charset=utf-8"], body: body)
    }

    /// The service's form of an error, with a `TrackingId` that is also in the text.
    static func refusal(_ refusal: ServiceError, tracking: String, at time: CivilTime) -> Response {
        var answer = xml(refusal.status, refusal.body(tracking: tracking, at: time))
        answer.headers[.trackingID] = tracking
        return answer
    }
}
