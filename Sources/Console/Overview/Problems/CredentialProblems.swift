import PushModel
import Store

/// Tokens and certificates that end, and the clocks that they go by.
enum CredentialProblems {
    /// Seconds that a worker's clock may differ from a hub's.
    static let mostSkew = 60.0
    /// Seconds before its end at which a token that is in use has to have been renewed.
    static let tokenMargin = 60.0
    /// Seconds before its end from which a person has to make another certificate.
    static let certificateMargin = 30.0 * 86_400
    /// A provider token for APNs lives for an hour: what ends later there is a certificate.
    static let longestProviderToken = 2.0 * 3_600

    static func of(_ rows: OverviewRows, now: Double) -> [Problem] {
        rows.countedHubs.compactMap(skew) + rows.countedHubs.compactMap { ending($0, now: now) }
    }

    private static func skew(_ hub: SystemStatus.Hub) -> Problem? {
        guard let skew = hub.skew, abs(skew) > mostSkew else { return nil }
        return Problem(
            kind: .clock, severity: .warning, what: "A worker's clock is wrong",
            why:
                "it is \(HumanFormat.duration(abs(skew))) \(skew > 0 ? "ahead of" : "behind") the clock of hub \(hub.hub), "
                + "which may refuse our tokens",
            todo: "Set the clocks of the workers' machines by NTP (timedatectl set-ntp true).", link: .hub(hub.hub),
            hub: hub.hub)
    }

    private static func ending(_ hub: SystemStatus.Hub, now: Double) -> Problem? {
        guard let end = Moment.seconds(hub.tokenExpiresAt) else { return nil }
        let left = end - now
        if HubKind(rawValue: hub.kind) == .apns, left > longestProviderToken {
            guard left < certificateMargin else { return nil }
            return Problem(
                kind: .certificate, severity: .warning, what: "The certificate of hub \(hub.hub) ends",
                why:
                    "it is good until \(HumanFormat.time(secondsSince1970: end)); then its service refuses every connection",
                todo: "Make a new one at the service, give it to the workers and reload them.", link: .hub(hub.hub),
                hub: hub.hub)
        }
        // A hub without posts needs no token.
        guard left < tokenMargin, hub.workers > 0, (hub.inFlight ?? 0) > 0 || (hub.answersPerSecond ?? 0) > 0 else {
            return nil
        }
        return Problem(
            kind: .token, severity: .critical, what: "The token for hub \(hub.hub) is not renewed",
            why: "a worker posts with one that ends at \(HumanFormat.time(secondsSince1970: end))",
            todo:
                "Set the clocks of the workers' machines by NTP (timedatectl set-ntp true); if they are right, restart the worker.",
            link: .hub(hub.hub), hub: hub.hub)
    }
}
