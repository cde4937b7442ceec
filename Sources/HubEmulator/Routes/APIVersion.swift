/// The `api-version` of a request: a month, optionally followed by a day or `-preview`. Later versions compare greater.
struct APIVersion: Sendable, Comparable {
    let text: String

    /// Those found in the service's clients, pages and recordings (docs/wire/notification-hubs.md, "Requests").
    static let known: Set = [
        "2013-04", "2013-08", "2013-10", "2014-01", "2014-09", "2015-01", "2015-04", "2015-08", "2016-07", "2016-10",
        "2017-04",
        "2020-06",
    ]

    /// That of Apple's `SBNotificationHub`.
    static let first = APIVersion(known: "2013-04")
    /// From this version on, telemetry contains the address that lists the errors of the platform services.
    static let withErrorDetails = APIVersion(known: "2016-07")
    /// From this version on, a send without the right gets 403 with an empty body; before, 401 with a detail.
    static let newest = APIVersion(known: "2020-06")

    private init(known text: String) { self.text = text }

    /// nil: not a month from 2013-04 on.
    init?(_ text: String) {
        self.text = text
        if isKnown { return }
        guard let match = text.wholeMatch(of: /(\d{4})-(\d\d)(-\d\d)?(-preview)?/.asciiOnlyDigits()),
            let month = Int(match.2), (1...12).contains(month)
        else { return nil }
        if self < .first { return nil }
    }

    static func < (left: APIVersion, right: APIVersion) -> Bool { left.text < right.text }

    var isKnown: Bool { Self.known.contains(text) }
}
