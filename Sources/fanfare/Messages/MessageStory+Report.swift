import CommandLineTool
import PushModel
import Store

extension MessageStory {
    /// For people: one line for each step.
    var table: TextTable {
        TextTable(
            [
                .number("AT"), .text("STEP"), .text("STATUS"), .text("REASON"), .id("POST"), .number("HTTP"),
                .prose("NOTE"),
            ],
            rows: steps.map { step in
                [
                    step.at.map(HumanFormat.toSeconds), step.step, step.status, step.reason, step.post.map { "\($0)" },
                    step.http.map { "\($0)" }, step.words,
                ]
            })
    }

    /// With the names of the columns of push.story_of.
    var json: JSONOutput {
        .list(
            steps.map { step in
                .object([
                    "at": .text(step.at), "step": .text(step.step), "status": .text(step.status),
                    "reason": .text(step.reason), "class": .text(step.class), "until": .text(step.until),
                    "person": .text(step.person), "worker": .text(step.worker), "post": .number(step.post),
                    "request": .number(step.request), "http": .number(step.http),
                    "milliseconds": .number(step.milliseconds), "tracking_id": .text(step.trackingID),
                    "note": .text(step.note),
                ])
            })
    }
}

extension MessageStory.Step {
    /// What has no column of its own, in the order of the questions of people.
    fileprivate var words: String {
        let noteNames = person.map { note?.hasSuffix(" by \($0)") == true } ?? false
        let parts = [
            note, noteNames ? nil : person.map { "by \($0)" }, worker.map { "at \($0)" },
            until.map { "until \(HumanFormat.toSeconds($0))" },
            request.flatMap { step == "posted" && $0 > 1 ? "request \($0)" : nil }, milliseconds.map { "\($0) ms" },
            trackingID.map { "tracking id \($0)" },
        ]
        return parts.compactMap { $0 }.joined(separator: "; ")
    }
}
