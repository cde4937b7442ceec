import CommandLineTool
import PushModel
import Store

extension PlanBook {
    /// The screen of `fanfare plan`. Pure.
    ///
    /// - Parameter listsPosts: one line a post below each hub.
    func report(listsPosts: Bool) -> Report {
        Report(
            fitting: { width in text(listsPosts: listsPosts, fitting: width) }, json,
            status: hasLosses ? .someFailed : .ok)
    }

    private func text(listsPosts: Bool, fitting width: Int?) -> String {
        if let why = wanted.why { return (why.lines + notes).map(\.onOneLine).joined(separator: "\n") }
        var parts = hubs.map { $0.text(asOf: asOf, listsPosts: listsPosts, showsBodies: wanted.bodies, fitting: width) }
        if hubs.isEmpty, badLines.isEmpty { parts.append("nothing is due") }
        parts += badLines.map { bad in
            "line \(bad.line) would be refused: \(bad.why)".onOneLine + (bad.hint.map { "\n  \($0.onOneLine)" } ?? "")
        }
        if !duplicates.isEmpty {
            parts.append(
                "\(HumanFormat.count(duplicates.count, "line")) would end as duplicate (\(Self.list(duplicates))): "
                    + "a message with the dedupe_key is there already")
        }
        parts += notes.map(\.onOneLine)
        if !listsPosts, !wanted.bodies, hubs.contains(where: { $0.tally.posts > 0 }) { parts.append(footer) }
        return parts.joined(separator: "\n")
    }

    private var footer: String {
        let posts = hubs.reduce(0) { $0 + $1.tally.posts }
        let (list, say) = posts == 1 ? ("it", "it says") : ("the \(HumanFormat.grouped(posts))", "they say")
        return "  --posts lists \(list), --bodies shows what \(say), --why ROW says why a row travels alone"
    }

    static func list(_ numbers: [Int]) -> String {
        numbers.prefix(5).map(String.init).joined(separator: ", ") + (numbers.count > 5 ? ", …" : "")
    }
}

extension PlanBook.Hub {
    fileprivate func text(asOf: Double, listsPosts: Bool, showsBodies: Bool, fitting width: Int?) -> String {
        let head = "hub \(settings.name) (\(nature))" + (standing.map { "  \($0)" } ?? "")
        var lines = [head + "  as of \(HumanFormat.time(secondsSince1970: asOf).suffix(9))"]
        lines += facts(asOf: asOf).map { "  " + Self.padded($0.title) + $0.value }
        if listsPosts, !posts.isEmpty { lines.append(table.text(fitting: width)) }
        if showsBodies {
            lines += zip(posts, bodies).map { post, body in
                "post \(post.number) to \(post.target?.onOneLine ?? "everyone"):\n"
                    + String(decoding: body, as: UTF8.self).onOneLine
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func padded(_ title: String) -> String {
        title + String(repeating: " ", count: max(1, 12 - title.count))
    }

    private var table: TextTable {
        let columns: [TextTable.Column] = [
            .number("POST"), .number("ROWS"), .number("CONTENTS"), .number("BYTES"), .text("LANGUAGES"), .text("ENDS"),
            .text("HEADERS"), .text("APART"), .name("TARGET"),
        ]
        return TextTable(
            columns,
            rows: posts.map { post in
                [
                    "\(post.number)", "\(post.rows.count)", "\(post.contents)", "\(post.bytes)",
                    post.languages.joined(separator: ", "),
                    post.expiresAt.map { HumanFormat.time(secondsSince1970: $0) },
                    post.headers.map { "\($0.name): \($0.value)" }.joined(separator: ", "), post.apart.label,
                    post.target ?? "everyone",
                ]
            })
    }
}
