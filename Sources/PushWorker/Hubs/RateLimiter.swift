import Concurrency
import Logging
import Postgres
import Store

/// Gives one hub's window the permissions its rate allows, from a token bucket that all workers share.
///
/// Begins when the hub first has a rate (`HubContext.whenLimited`): most hubs never have one. Asks the database only while
/// a lane waits for permission, and takes a quarter of a second's worth at a time.
struct RateLimiter: Sendable {
    let hub: HubContext
    let hubs: any RateStore
    let log: Logger
    var sleep = Sleep.system

    /// Works until the window's `endOfRate`; then gives back what was not used.
    func run() async {
        while await hub.window.isStarved() {
            do {
                try await refill()
            } catch {
                log.warning(
                    "cannot ask how many posts the rate allows; trying again",
                    metadata: ["hub": "\(hub.settings.name)", "error": "\(error)"])
                await pause(1)
            }
        }
        await giveBack()
    }

    /// - Throws: `DatabaseError`. Then nothing was taken, or the answer was lost, and with it a quarter of a second's worth.
    private func refill() async throws(DatabaseError) {
        let wanted = Self.quarterSecond(ofRate: hub.rate)
        let (granted, wait) = try await hubs.takeTokens(
            hub.id, configured: Double(hub.settings.ratePerSecond), wanted: Int32(clamping: wanted),
            rampSeconds: Double(hub.settings.rampSeconds))
        hub.window.allow(granted)
        // While the bucket is empty, not for every single post: at most twenty times a second.
        if granted < wanted { await pause(max(wait, 0.05)) }
    }

    /// Gives back permissions that no lane waits for.
    func giveBack() async {
        let left = hub.window.reclaim()
        guard left > 0 else { return }
        do {
            try await hubs.returnTokens(left, of: hub.id)
        } catch {
            // The bucket refills by itself: at most a quarter of a second's worth is lost.
            log.debug("cannot give back what a rate allowed", metadata: ["error": "\(error)"])
        }
    }

    /// Posts.
    static func quarterSecond(ofRate rate: Double) -> Int { max(1, Int(rate / 4)) }

    /// Half a second at most: the rate may be raised meanwhile.
    private func pause(_ seconds: Double) async {
        await sleep(min(seconds, 0.5))
    }
}
