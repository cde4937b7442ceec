import Logging
import Postgres
import Store

/// Feeds one hub's window with what its rate allows: permissions from a bucket that all workers share.
///
/// Asks the database only while the hub has a rate and somebody waits for permission, and for a quarter of a second's
/// worth at a time.
struct RateLimiter: Sendable {
    let hub: HubContext
    let hubs: Hubs
    let log: Logger

    /// Works until the window's `endOfRate`; then gives back what was not used.
    func run() async {
        while await hub.window.isStarved() {
            do {
                try await feed()
            } catch {
                log.warning(
                    "cannot ask how many posts the rate allows; trying again",
                    metadata: ["hub": "\(hub.settings.name)", "error": "\(error)"])
                await pause(1)
            }
        }
        await giveBack()
    }

    /// - Throws: `DatabaseError`; nothing was taken then, or its answer was lost and with it a quarter of a second.
    private func feed() async throws(DatabaseError) {
        let portion = Self.portion(ofRate: hub.rate)
        let (granted, wait) = try await hubs.takeTokens(
            hub.id, configured: Double(hub.settings.ratePerSecond), wanted: Int32(clamping: portion))
        hub.window.allow(granted)
        // Not for every single post: while the bucket is empty it is asked twenty times a second at most.
        if granted < portion { await pause(max(wait, 0.05)) }
    }

    /// What nobody needed.
    func giveBack() async {
        let left = hub.window.reclaim()
        guard left > 0 else { return }
        do {
            try await hubs.returnTokens(left, of: hub.id)
        } catch {
            // The bucket fills by itself: what is lost is a quarter of a second at most.
            log.debug("cannot give back what a rate allowed", metadata: ["error": "\(error)"])
        }
    }

    static func portion(ofRate rate: Double) -> Int { max(1, Int(rate / 4)) }

    /// Half a second at most: the rate may be raised meanwhile.
    private func pause(_ seconds: Double) async {
        // Ends early only by cancellation; the loop goes by the window.
        try? await Task.sleep(for: .seconds(min(seconds, 0.5)))
    }
}
