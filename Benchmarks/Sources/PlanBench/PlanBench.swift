import Glibc
import PushModel

/// Measures what `fanfare plan` and `fanfare campaign preview` reckon, without a database, and prints one line.
///
///     PlanBench notes ROWS     plans claims of each shape with and without notes, in turn: NAME_plain_us, NAME_noted_us a row
///     PlanBench preview TIMES  draws 8 languages on 4 platforms: ms, for all 32
@main
struct PlanBench {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let count = Int(arguments[2]), count > 0 else { return usage() }
        switch arguments[1] {
        case "notes": print(Shape.all.map { measured($0, rows: count) }.joined(separator: " "))
        case "preview": print("ms=\(drawn(times: count))")
        default: usage()
        }
    }

    private static func usage() {
        print("usage: PlanBench notes ROWS | preview TIMES")
        exit(64)
    }

    /// Claims of a worker's size take turns, so that other load on the machine meets both.
    private static func measured(_ shape: Shape, rows: Int) -> String {
        var seconds = [false: 0.0, true: 0.0]
        let claim = shape.claim
        let times = max(1, rows / claim.count)
        for time in 0..<2 * times {
            let isNoted = time % 2 == 1
            let began = now()
            let notes = isNoted ? PlanNotes() : nil
            let plan = Plan(claim, for: shape.hub, now: 0, notes: notes)
            precondition(
                plan.posts.count == shape.posts && (notes?.contents.count ?? 1) > 0, "\(plan.posts.count) posts")
            seconds[isNoted, default: 0] += now() - began
        }
        let each = seconds.mapValues { $0 * 1e6 / Double(times * claim.count) }
        return "\(shape.name)_plain_us=\(each[false] ?? 0) \(shape.name)_noted_us=\(each[true] ?? 0)"
    }

    private static func drawn(times: Int) -> Double {
        let began = now()
        for _ in 0..<times {
            let previews = Previews(of: Phones.content, at: Phones.hub, templates: Phones.templates)
            precondition(previews.all.count == 32, "\(previews.all.count) previews")
        }
        return (now() - began) * 1e3 / Double(times)
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
