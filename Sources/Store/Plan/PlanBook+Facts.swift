import PushModel

/// What `fanfare plan` and the page of a campaign say of one hub. Pure.
extension PlanBook.Hub {
    /// How it localises.
    package var nature: String {
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
    package var standing: String? {
        guard let lane, lane.state != "open" else { return nil }
        let since = lane.since.map { " since \(HumanFormat.time(secondsSince1970: $0))" } ?? ""
        return (lane.state + since + (lane.why.map { ": \($0)" } ?? "")).onOneLine
    }

    /// What is said of it below its name, in the order in which it is read.
    ///
    /// - Parameter asOf: now, in seconds since 1970.
    package func facts(asOf: Double) -> [(title: String, value: String)] {
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

    private static func tenths(_ number: Double) -> String {
        let rounded = (number * 10).rounded() / 10
        return rounded == rounded.rounded() ? "\(HumanFormat.grouped(Int(rounded)))" : "\(rounded)"
    }

    /// `812 bytes`, `9.1 KB`
    package static func bytes(_ count: Int) -> String {
        count < 1_000 ? HumanFormat.count(count, "byte") : "\(tenths(Double(count) / 1_000)) KB"
    }
}
