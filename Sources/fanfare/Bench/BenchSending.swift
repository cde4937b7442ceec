import CommandLineTool
import Foundation
import HTTPTransport
import Providers
import PushModel
import Signing

/// What a bench really sends to a hub, and what it announces before.
struct BenchSending: Sendable {
    /// Notifications one bench sends at most.
    static let most = 1_000

    let hub: HubClient
    /// One tag, checked.
    let tag: String
    let count: Int
    /// Requests on their way at once.
    let atOnce: Int
    /// Of what is sent; empty: `message`.
    let properties: [KeyValue]

    /// For people, before anything leaves.
    var announcement: String {
        let settings = hub.settings
        let rate = settings.ratePerSecond > 0 ? ", \(settings.ratePerSecond) a second at most" : ""
        return """
            This really sends \(HumanFormat.count(count, "notification")) to every device of hub \(settings.hub) with the tag \(tag)
            (hubs.\(settings.name) of the settings, at \(hub.base)), \(atOnce) at once\(rate). Each device may show all of them.
            """
    }

    /// The n-th request, from 1. The worker's planner makes it.
    func request(_ n: Int, with pass: Pass) throws(Failure) -> Request {
        let members: [String: JSONOutput] =
            properties.isEmpty
            ? ["message": .text("fanfare bench, \(n) of \(count)")]
            : Dictionary(properties.map { ($0.key, JSONOutput.text($0.value)) }) { $1 }
        let message = Message(
            id: Int64(n), target: .tag(tag), content: JSONOutput.object(members).document, expiresAt: .infinity)
        let plan = Plan([message], for: hub.settings, now: Date().timeIntervalSince1970)
        guard let post = plan.posts.first else {
            throw Failure(
                "cannot send to hub \"\(hub.settings.name)\"", because: plan.refusals.first?.text ?? "nothing to send",
                status: .badInput)
        }
        do throws(InvalidPost) {
            return try hub.provider.request(for: post, id: Int64(n), with: pass)
        } catch {
            throw Failure("cannot send to hub \"\(hub.settings.name)\"", because: "\(error)", status: .badInput)
        }
    }

    /// Seconds after the beginning at which the n-th request may leave, from 1.
    ///
    /// - Parameter rate: requests a second; 0: any.
    static func start(of n: Int, rate: Int) -> Double { rate > 0 ? Double(n - 1) / Double(rate) : 0 }
}
