import PushModel
import Signing
import Testing

@testable import Daemon

/// What a person is told to do, by the kind of the hub.
@Suite struct HubRemediesTests {
    private static let news = HubRemedies(of: HubSettings(name: "news", kind: .notificationHubs))
    private static var shop: HubRemedies {
        var hub = HubSettings(name: "shop", kind: .fcm)
        hub.project = "example-project"
        return HubRemedies(of: hub, setting: "hubs.shop.secondaryServiceAccount")
    }

    @Test(arguments: [
        (Verdict.authExpired(because: "x"), 401 as Int?, ["hubs.news.connectionString", "key"]),
        (.authFailed(because: "x"), 403, ["policy", "lacks the right"]),
        (.hubNotFound(because: "x"), 404, ["hubs.news.hub", "Endpoint"]),
        (.hubNotFound(because: "x"), 302, ["the Endpoint in hubs.news.connectionString", "stands between"]),
        (.quotaExceeded(because: "x"), 403, ["tier"]),
        (.notSent(because: "x"), nil, ["the Endpoint in hubs.news.connectionString", "firewall"]),
        (.authFailed(because: "certificate has expired"), nil, ["dates of the hub's certificate"]),
        (.authFailed(because: "self-signed certificate"), nil, ["ca-certificates"]),
        (.authFailed(because: "x"), 407, ["proxy"]),
    ])
    func aNotificationHubIsCheckedInItsSettingsAndInThePortal(verdict: Verdict, http: Int?, words: [String]) throws {
        let remedy = try #require(Self.news.remedy(of: verdict, http: http))
        for word in words { #expect(remedy.contains(word), "\(remedy)") }
        #expect(remedy.hasSuffix(".") && !remedy.contains("oogle") && !remedy.contains("ccount"), "\(remedy)")
    }

    @Test(arguments: [
        (
            Verdict.authExpired(because: "x"), 401 as Int?,
            ["hubs.shop.secondaryServiceAccount", "Firebase Cloud Messaging API Admin in project example-project"]
        ),
        (.authFailed(because: "x"), 403, ["the role", "enable the Firebase Cloud Messaging API"]),
        (.authFailed(because: "FCM replied 401 THIRD_PARTY_AUTH_ERROR"), 401, ["APNs key", "Firebase console"]),
        (.hubNotFound(because: "x"), 404, ["project example-project", "hubs.shop.project", "hubs.shop.endpoint"]),
        (.hubNotFound(because: "x"), 302, ["hubs.shop.endpoint"]),
        (.notSent(because: "x"), nil, ["hubs.shop.endpoint", "firewall"]),
        (.authFailed(because: "x"), 407, ["hubs.shop.endpoint", "proxy"]),
    ])
    func aSenderIsCheckedInItsAccountAndItsProject(verdict: Verdict, http: Int?, words: [String]) throws {
        let remedy = try #require(Self.shop.remedy(of: verdict, http: http))
        for word in words { #expect(remedy.contains(word), "\(remedy)") }
        for word in ["portal", "Endpoint", "connectionString", "policy", "shop.hub"] {
            #expect(!remedy.contains(word), "\(remedy)")
        }
    }

    @Test func whatTimeMendsHasNoRemedy() {
        #expect(Self.news.remedy(of: .unavailable(after: nil, because: "x"), http: 500) == nil)
        #expect(Self.shop.remedy(of: .targetGone(because: "x"), http: 404) == nil)
    }

    @Test func aRefusedAccountIsCheckedUnlessOurClockIsWrong() {
        let refused = Self.shop.remedy(
            of: PassTrouble.refused(because: "the token endpoint replied 400: invalid_grant"))
        #expect(refused.hasPrefix("Check hubs.shop.secondaryServiceAccount: whether the account is there"))
        for clock in ["is 4000 s behind the endpoint's", "is probably wrong"] {
            let because = "the token endpoint replied 400: invalid_grant; the clock of this machine \(clock)"
            #expect(Self.shop.remedy(of: PassTrouble.refused(because: because)) == HubRemedies.clock)
        }
        let agrees = "invalid_grant; the clock of this machine agrees with the endpoint's"
        #expect(Self.shop.remedy(of: PassTrouble.refused(because: agrees)) == refused)
        #expect(Self.shop.remedy(of: PassTrouble.waiting(because: "x")).contains("the token endpoint"))
    }
}
