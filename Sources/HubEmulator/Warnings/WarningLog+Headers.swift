extension WarningLog {
    /// What is odd about the names of a send's headers: the service reads over what it does not know.
    func checkHeaders(_ call: EmulatorRequest, at hub: Hub) {
        for field in call.headers {
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
        let meant = Nearest.word(to: name, among: known)
        // Without the right one of these the send goes to everybody.
        let harm = meant == "servicebusnotification-tags" ? " A send without it goes to every device" : ""
        return "the service does not know the header \(name) and reads over it"
            + (meant.map { "; did you mean \($0)?\(harm)" } ?? "")
    }

    private static let firstLetters = Set("tasx".utf8)
    private static let prefixes = ["servicebus", "apns-", "apns_", "x-wns-"]

    /// Of these families, those official clients and the platforms' pages have (notification-hubs.md section 3.1).
    private static let known: Set<String> = [
        "servicebusnotification-format", "servicebusnotification-tags", "servicebusnotification-devicehandle",
        "servicebusnotification-scheduletime", "servicebusnotification-apns-expiry", "apns-push-type", "apns-id",
        "apns-expiration", "apns-priority", "apns-topic", "apns-collapse-id", "x-wns-type", "x-wns-cache-policy",
        "x-wns-requestforstatus", "x-wns-tag", "x-wns-ttl", "x-wns-group", "x-wns-match", "x-wns-suppresspopup",
    ]
}
