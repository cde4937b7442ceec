import HTTPTypes

/// Keeps pages of other sites from acting in the name of somebody who is signed in, and from reading pages.
enum SameSitePolicy {
    /// - Throws: `DoorRefusal` with 403: the request may come from another site.
    static func check(_ request: HTTPRequest, _ arrival: Arrival) throws(DoorRefusal) {
        let isRead = request.method == .get || request.method == .head
        let site = request.headerFields[.secFetchSite]
        guard isRead ? mayRead(request, from: site) : mayChange(request, arrival, from: site) else {
            throw DoorRefusal(
                status: 403,
                words: isRead
                    ? "Another site may link to this console, and load nothing of it."
                    : "The form does not come from a page of this console, or the browser does not say that it does. "
                        + "Open the page here, and send it again.")
        }
    }

    /// A link of another site opens a page, where the person sees it. Everything else that another site asks for, it
    /// could look at.
    private static func mayRead(_ request: HTTPRequest, from site: String?) -> Bool {
        switch site {
        case nil, "same-origin", "none": true
        default: request.headerFields[.secFetchMode] == "navigate"
        }
    }

    /// A browser sends no `Sec-Fetch-Site` to a plain HTTP address beyond the loopback; all send `Origin` with a POST.
    private static func mayChange(_ request: HTTPRequest, _ arrival: Arrival, from site: String?) -> Bool {
        if let site { return site == "same-origin" }
        guard let origin = request.headerFields[.origin]?.lowercased(), !arrival.host.isEmpty else { return false }
        let schemes = arrival.scheme.map { [$0] } ?? ["http", "https"]
        return schemes.contains { origin == "\($0)://\(arrival.host)" }
    }
}
