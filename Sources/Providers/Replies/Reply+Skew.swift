import HTTPTransport

extension Reply {
    /// Seconds by which our clock is ahead of the one that answered; nil without a date. From the `Date` header, which omits
    /// half a second on average because it has whole seconds.
    var skew: Double? {
        guard case .answered(let response) = outcome else { return nil }
        return response["date"].flatMap(HTTPDate.seconds).map { (receivedAt - $0 - 0.5).rounded() + 0 }
    }
}
