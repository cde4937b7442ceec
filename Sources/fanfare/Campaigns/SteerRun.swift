import CommandLineTool
import PushModel
import Store

extension CampaignStore {
    /// Calls a steering function until it is finished, and reports what it did.
    ///
    /// - Parameter words: of the messages that it reached, such as `paused`; also their key as JSON.
    func report(
        _ steering: Steering, of campaign: String, run: String?, words: String, onTheWire: Bool = false
    ) async throws -> Report {
        let done = try await steer(campaign, run, steering, words: words)
        return Report(done, of: campaign, words: words, onTheWire: onTheWire)
    }

    /// As `report`, and shows meanwhile how many messages it reached.
    func steer(
        _ campaign: String, _ run: String?, _ steering: Steering, words: String
    ) async throws -> Step {
        let progress = ProgressLine()
        var done = try await steer(campaign, key: run, steering, after: nil)
        while let next = done.next {
            await progress.show("\(done.messages) \(words)")
            let more = try await steer(campaign, key: done.key, steering, after: next)
            done.messages += more.messages
            done.onTheWire += more.onTheWire
            done.next = more.next
        }
        await progress.end()
        return done
    }
}

extension Report {
    init(_ done: CampaignStore.Step, of campaign: String, words: String, onTheWire isCounted: Bool) {
        let wire = done.onTheWire > 0 ? ", \(done.onTheWire) on the wire" : ""
        var members: [String: JSONOutput] = [
            "campaign": .text(campaign), "run": .text(done.key),
            words.replacing(scalars: " ", with: "_"): .number(done.messages),
        ]
        if isCounted { members["on_the_wire"] = .number(done.onTheWire) }
        self.init(
            "campaign \(campaign), run \(done.key.onOneLine): \(HumanFormat.count(done.messages, "message")) \(words)\(wire)",
            .object(members))
    }
}
