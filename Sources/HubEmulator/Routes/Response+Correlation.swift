import HTTPTypes

extension Response {
    /// With the second id support asks for, which the service gives beside every tracking id since 2020
    /// (notification-hubs.md section 3.4).
    var correlated: Response {
        guard headers[.trackingID] != nil, headers[.correlationID] == nil else { return self }
        var answer = self
        answer.headers.append(HTTPField(name: .correlationID, value: FakeIDs.guid()))
        return answer
    }
}
