import CommandLineTool
import PushModel
import Store

extension PlanBook {
    /// Every number of the screen, and every post.
    var json: JSONOutput {
        .object([
            "as_of": .text(HumanFormat.time(secondsSince1970: asOf)), "hubs": .list(hubs.map(\.json)),
            "refused_lines": .list(
                badLines.map { .object(["line": .number($0.line), "why": .text($0.why), "hint": .text($0.hint)]) }),
            "duplicate_lines": .list(duplicates.map { .number(Int64($0)) }),
            "notes": .list(notes.map { .text($0) }), "why": wanted.why?.json ?? .null,
        ])
    }
}

extension PlanBook.Hub {
    fileprivate var json: JSONOutput {
        let seconds = pace?.postsPerSecond.map { Double(tally.posts) * scale / $0 }
        return .object([
            "hub": .text(settings.name), "kind": .text(settings.kind.rawValue), "scale": .decimal(scale),
            "state": .text(lane?.state), "state_why": .text(lane?.why), "parked": .number(parked),
            "rows": .number(tally.rows), "contents": .number(tally.contents), "refused": .number(tally.refused),
            "rows_per_content": .decimal(tally.rowsPerContent), "contents_per_post": .decimal(tally.contentsPerPost),
            "refusals": .list(tally.refusals.map(\.json)), "expired": .number(tally.expired),
            "apart": .object(
                Dictionary(uniqueKeysWithValues: tally.apart.map { ($0.rawValue, JSONOutput.number(Int64($1))) })),
            "largest_body": tally.largest.map {
                .object(["bytes": .number($0.bytes), "post": .number($0.post)])
            } ?? .null,
            "on_phones": tally.phones.isKnown && tally.phones.posts > 0
                ? .list(tally.phones.largest.map(\.json)) : .null,
            "posts_not_rendered": .number(tally.phones.unseen), "reach": .list(tally.reach.map(\.json)),
            "rows_by_priority": .object(
                Dictionary(
                    uniqueKeysWithValues: Priority.allCases.map {
                        ("\($0)", JSONOutput.number(Int64(tally.rowsByPriority[$0] ?? 0)))
                    })),
            "posts_per_second": .decimal(pace?.postsPerSecond), "rate": .decimal(pace?.rate),
            "speed": .decimal(pace?.speed), "seconds": .decimal(seconds), "would_expire": .number(tally.late),
            "remarks": .list(
                tally.remarks.map { .object(["remark": .text($0.word), "text": .text($0.description)]) }),
            "posts": .number(tally.posts),
            "left_out": .list(
                leftOut.map { .object(["reason": .text($0.reason), "recipients": .number($0.recipients)]) }),
            "post_list": .list(
                posts.enumerated().map { index, post in
                    post.json(body: index < bodies.count ? bodies[index] : nil)
                }),
        ])
    }
}

extension PhoneSizes.Largest {
    fileprivate var json: JSONOutput {
        .object([
            "platform": .text(platform.rawValue), "bytes": .number(bytes), "limit": .number(limit),
            "template": .text(template), "post": .number(post), "too_large": .number(tooLarge),
        ])
    }
}

extension KnownReach {
    fileprivate var json: JSONOutput {
        .object([
            "expression": .text(expression), "devices": .number(devices), "of": .number(of),
            "is_whole": .flag(isWhole), "counted_at": .text(HumanFormat.time(secondsSince1970: countedAt)),
        ])
    }
}

extension PlanTally.Refused {
    fileprivate var json: JSONOutput {
        .object([
            "reason": .text(reason.rawValue), "rows": .number(rows), "row": .number(example.message),
            "content": .number(content), "text": .text(example.text),
        ])
    }
}

extension PlannedPost {
    func json(body: [UInt8]?) -> JSONOutput {
        .object([
            "post": .number(number), "target": .text(target), "rows": .list(rows.map { .number($0) }),
            "contents": .number(contents), "languages": .list(languages.map { .text($0) }),
            "filled_by_fallback": .list(filled.map { .text($0) }), "format": .text(format), "bytes": .number(bytes),
            "headers": .object(Dictionary(headers.map { ($0.name, JSONOutput.text($0.value)) }) { $1 }),
            "expires_at": .text(expiresAt.map { HumanFormat.time(secondsSince1970: $0) }),
            "priority": .text("\(priority)"), "apart": .text(apart.rawValue), "why": .text(apart.sentence),
            "layer": .number(layer), "body": .text(body.map { String(decoding: $0, as: UTF8.self) }),
        ])
    }
}

extension WhyApart {
    var json: JSONOutput {
        .object([
            "row": .number(row), "beside": .number(other), "answer": .text(answer?.word),
            "text": .list(lines.map { .text($0) }),
        ])
    }
}
