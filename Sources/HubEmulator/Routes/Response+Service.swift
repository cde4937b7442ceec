import HTTPServer
import HTTPTypes

// Short names for all routes.
typealias Response = HTTPServer.Response
typealias UploadedBody = HTTPServer.UploadedBody

extension Response {
    static func xml(_ status: Int, _ body: [UInt8] = []) -> Response {
        Response(status: status, headers: [.contentType: "application/xml; charset=utf-8"], body: body)
    }

    static func json(_ body: [UInt8], status: Int = 200) -> Response {
        Response(status: status, headers: [.contentType: "application/json; charset=utf-8"], body: body)
    }

    /// An error in the service's form, with a `TrackingId` that is also in the text.
    static func refusal(_ refusal: ServiceError, tracking: String, at time: CivilTime) -> Response {
        var response = xml(refusal.status, refusal.body(tracking: tracking, at: time))
        response.headers[.trackingID] = tracking
        return response
    }

    /// With the second id that support asks for: since 2020 the service sends it with every tracking id
    /// (docs/wire/notification-hubs.md, "Answers and ids").
    var correlated: Response {
        guard headers[.trackingID] != nil, headers[.correlationID] == nil else { return self }
        var response = self
        response.headers.append(HTTPField(name: .correlationID, value: FakeIDs.guid()))
        return response
    }
}
