import CommandLineTool
import Store

extension Unmoved {
    var json: JSONOutput {
        .list(rows.map { .object(["id": .number($0.id), "status": .text($0.status), "why": .text($0.why)]) })
    }
}
