import PushModel

extension WarningLog {
    /// Checks the header names of a send: the service ignores unknown ones.
    func checkHeaders(_ request: EmulatorRequest, at hub: Hub) {
        for field in request.headers {
            let name = field.name.canonicalName
            guard let first = name.utf8.first, Self.firstLetters.contains(first) else { continue }
            if name == "tags" {
                add(
                    .tagsHeader, hub: hub.name,
                    "the header Tags means nothing to the service, so that this send goes to every device unless "
                        + "ServiceBusNotification-Tags is there too; that is the right name")
            } else if Self.prefixes.contains(where: name.hasPrefix), !Self.known.contains(name) {
                add(
                    .unknownHeader, hub: hub.name, subject: String(name.prefix(120)),
                    Self.unknown(String(name.prefix(120))))
            }
        }
    }

    private static func unknown(_ name: String) -> String {
        let meant = DidYouMean.nearest(to: name, in: known, tolerance: .oneInThree)
        // Without this header the send is a broadcast.
        let harm = meant == "servicebusnotification-tags" ? " A send without it goes to every device" : ""
        return "the service does not know the header \(name) and reads over it"
            + (meant.map { "; did you mean \($0)?\(harm)" } ?? "")
    }

    private static let firstLetters = Set("tasx".utf8)
    private static let prefixes = ["servicebus", "apns-", "apns_", "x-wns-"]

    /// Of these families, those that official clients and pages have (docs/wire/notification-hubs.md, "Requests").
    private static let known = PlatformHeaders.apns.union(PlatformHeaders.wns).union([
        "servicebusnotification-format", "servicebusnotification-tags", "servicebusnotification-devicehandle",
        "servicebusnotification-scheduletime", "servicebusnotification-apns-expiry",
    ])
}
