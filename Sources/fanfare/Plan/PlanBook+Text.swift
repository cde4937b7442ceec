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

    /// How it localises.
    private var nature: String {
        guard settings.kind.facts.takesTemplates else { return settings.kind.facts.label }
        let words = settings.languages.sorted { $0.key < $1.key }
        let languages =
            switch settings.localization {
            case .properties: "properties: " + words.map(\.value).joined(separator: ", ")
            case .tags: "tags: " + words.map(\.key).joined(separator: ", ")
            }
        return (words.isEmpty ? "no languages" : languages) + (settings.fallback.map { "; fallback \($0)" } ?? "")
    }

    /// Why nothing leaves now; nil: it does.
    private var standing: String? {
        guard let lane, lane.state != "open" else { return nil }
        let since = lane.since.map { " since \(HumanFormat.time(secondsSince1970: $0))" } ?? ""
        return (lane.state + since + (lane.why.map { ": \($0)" } ?? "")).onOneLine
    }

    private func facts(asOf: Double) -> [(title: String, value: String)] {
        var facts = [("rows", counts)]
        if tally.refused > 0 { facts.append(("refused", refusals)) }
        if !leftOut.isEmpty {
            facts.append(
                ("left out", leftOut.map { "\($0.reason) \(scaled(Int($0.recipients)))" }.joined(separator: ", ")))
        }
        if tally.posts > 0 {
            facts += [("apart", apart), ("sizes", sizes), ("takes", takes)]
        }
        facts += reach(asOf: asOf).enumerated().map { ($0 == 0 ? "reach" : "", $1) }
        if parked > 0 {
            facts.append(
                (
                    "paused",
                    "\(HumanFormat.grouped(parked))\(parked == 10_000 ? "+" : "") rows of paused runs are not due"
                ))
        }
        let remarks = tally.remarks.map(\.description.onOneLine)
        facts += remarks.enumerated().map { ($0 == 0 ? "remarks" : "", $1) }
        return facts
    }

    private func scaled(_ number: Int) -> String {
        scale == 1
            ? HumanFormat.grouped(number) : "~" + HumanFormat.grouped(Int((Double(number) * scale).rounded()))
    }

    /// `1 post`, `~1,204 posts`
    private func scaled(_ number: Int, _ thing: String) -> String {
        "\(scaled(number)) \(thing)\(number == 1 && scale == 1 ? "" : "s")"
    }

    private var counts: String {
        let folds = [
            tally.rowsPerContent.map { "languages fold \(Self.tenths($0)) ×" },
            tally.contentsPerPost.map { "tags \(Self.tenths($0)) ×" },
        ].compactMap(\.self)
        return "\(scaled(tally.rows))  →  \(scaled(tally.contents, "content"))  →  \(scaled(tally.posts, "post"))"
            + (folds.isEmpty ? "" : "         " + folds.joined(separator: ", "))
    }

    private var refusals: String {
        "\(scaled(tally.refused))   "
            + tally.refusals.map { refused in
                let place =
                    refused.content.map { "content \($0)" }
                    ?? (lane == nil ? "such as" : "row \(refused.example.message)")
                return "\(refused.reason.rawValue) \(scaled(refused.rows)) (\(place): \(refused.example.text))"
                    .onOneLine
            }.joined(separator: ", ")
    }

    private var apart: String {
        Apart.allCases.sorted { (tally.apart[$1] ?? 0, $0) < (tally.apart[$0] ?? 0, $1) }
            .compactMap { reason in tally.apart[reason].map { "\(reason.label) \(scaled($0))" } }
            .joined(separator: ", ")
    }

    private var sizes: String {
        guard let largest = tally.largest else { return "nothing" }
        return
            "largest body \(Self.bytes(largest.bytes)) (post \(largest.post)) of \(Self.bytes(settings.kind.facts.bodyBytes))"
            + (phones.map { "   on phones: \($0)" } ?? "").onOneLine
    }

    /// What templates make of the posts; nil: no post is for templates.
    private var phones: String? {
        guard tally.phones.posts > 0 else { return nil }
        guard tally.phones.isKnown else { return "not known: \(KnownTemplates.remedy(of: settings.name))" }
        let unseen =
            tally.phones.unseen > 0
            ? ", without \(HumanFormat.count(tally.phones.unseen, "post")) (too many to render)" : ""
        return tally.phones.largest.map(\.text).joined(separator: ", ") + unseen
    }

    private static let mostReach = 5

    /// The fewest devices first.
    private func reach(asOf: Double) -> [String] {
        let known = tally.reach
        let more = known.count - Self.mostReach
        return known.prefix(Self.mostReach).map { $0.text(asOf: asOf).onOneLine }
            + (more > 0 ? ["and \(HumanFormat.grouped(more)) more: --json"] : [])
    }

    private var takes: String {
        let classes = [
            (Priority.urgent, "urgent"), (.normal, "normal"), (.bulk, "bulk"),
        ].map { "\($1) \(scaled(tally.rowsByPriority[$0] ?? 0))" }.joined(separator: "   ")
        if lane == nil { return "not known before it runs: fanfare campaign check reckons with its rate and window" }
        guard let pace, let perSecond = pace.postsPerSecond else {
            return "not known: no worker posts to this hub now, and it has no rate     \(classes)"
        }
        let limits = [pace.rate.map { "rate \(Self.tenths($0))" }, pace.speed.map { "speed \(Self.tenths($0))" }]
            .compactMap(\.self)
        let seconds = Double(tally.posts) * scale / perSecond
        let late = tally.late.map { "     would expire before its turn: \(scaled($0))" } ?? ""
        return "about \(HumanFormat.time(milliseconds: seconds * 1000)) at \(Self.tenths(perSecond)) posts/s"
            + (limits.isEmpty ? "" : " (\(limits.joined(separator: ", ")))") + "     \(classes)" + late
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

    private static func tenths(_ number: Double) -> String {
        let rounded = (number * 10).rounded() / 10
        return rounded == rounded.rounded() ? "\(HumanFormat.grouped(Int(rounded)))" : "\(rounded)"
    }

    /// `812 bytes`, `9.1 KB`
    static func bytes(_ count: Int) -> String {
        count < 1_000 ? HumanFormat.count(count, "byte") : "\(tenths(Double(count) / 1_000)) KB"
    }
}

extension PhoneSizes.Largest {
    /// `apns 190 of 4,096 bytes (template news-fr)`
    var text: String {
        let size = "\(HumanFormat.grouped(bytes)) of \(HumanFormat.grouped(limit)) bytes"
        if tooLarge == 0 { return "\(platform.rawValue) \(size) (template \(template))" }
        let posts = "\(HumanFormat.grouped(tooLarge)) post\(tooLarge == 1 ? "" : "s") too large"
        return "\(platform.rawValue) \(posts), \(size) (template \(template), post \(post))"
    }
}
