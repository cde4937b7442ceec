/// The `api-version` of a request: a month, sometimes with a day or `-preview` behind it. Later ones compare greater.
struct APIVersion: Sendable, Comparable {
    let text: String

    /// Those met in the service's own clients, pages and recordings (notification-hubs.md section 3.1).
    static let known: Set = [
        "2013-08", "2013-10", "2014-01", "2014-09", "2015-01", "2015-04", "2015-08", "2016-07", "2016-10", "2017-04",
        "2020-06",
    ]

    static let first = APIVersion(known: "2013-08")
    /// From here on telemetry names where the errors of the platform services are listed.
    static let withErrorDetails = APIVersion(known: "2016-07")
    /// From here on a send without the right gets 403 without a word; before, 401 with words.
    static let newest = APIVersion(known: "2020-06")

    private init(known text: String) { self.text = text }

    /// nil: it is no month from 2013-08 on.
    init?(_ text: String) {
        self.text = text
        if isKnown { return }
        guard let match = text.wholeMatch(of: /(\d{4})-(\d\d)(-\d\d)?(-preview)?/.asciiOnlyDigits()),
            let month = Int(match.2), (1...12).contains(month)
        else { return nil }
        if self < .first { return nil }
    }

    static func < (one: APIVersion, other: APIVersion) -> Bool { one.text < other.text }

    var isKnown: Bool { Self.known.contains(text) }
}
