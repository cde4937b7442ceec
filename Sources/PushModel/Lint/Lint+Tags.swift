// What is wrong with tags.
extension Lint {
    /// - Parameter tags: expressions that sends are for.
    mutating func checkTags(_ tags: [String], _ templates: [PreviewTemplate], _ kind: HubKind) {
        var spellings: [String: [String]] = [:]
        var order: [String] = []
        func note(_ tag: Tag) {
            if spellings[tag.folded] == nil { order.append(tag.folded) }
            if !(spellings[tag.folded] ?? []).contains(tag.text) { spellings[tag.folded, default: []].append(tag.text) }
        }
        for text in tags {
            guard kind.facts.tag == .expression else {
                checkTopics(text)
                continue
            }
            switch Self.read(text) {
            case .success(let expression):
                for remark in expression.remarks { add(LintFinding(remark)) }
                expression.tags.forEach(note)
            case .failure(let fault): add(fault.finding)
            }
        }
        // The hub takes no other tag of a device.
        for tag in templates.flatMap(\.tags) { if let tag = try? Tag(tag) { note(tag) } }
        guard kind.facts.foldsCase else { return }
        for folded in order {
            guard let written = spellings[folded], written.count > 1 else { continue }
            add(
                LintFinding(
                    .tagCase, written[0],
                    "the tags \(written.prefix(5).joined(separator: ", ")) differ in case alone: to a hub they are one tag, "
                        + "and a device that has it gets one copy"))
        }
    }

    /// Tags and expressions that no device had.
    mutating func checkReach(_ tags: [String], _ reach: ReachTable) {
        if reach.isEmpty { return }
        for text in tags {
            if let known = reach[text], known.isNobody {
                add(.unreachedTags(known))
                continue
            }
            // One of them may be misspelt where others reach somebody. Behind a ! nobody is what most expect. What cannot be
            // read has a finding of its own.
            if text.contains("!") { continue }
            for tag in (try? TagExpression(text))?.tags ?? [] {
                if let known = reach[tag.text], known.isNobody { add(.unreachedTags(known)) }
            }
        }
    }

    private mutating func checkTopics(_ text: String) {
        do throws(TagExpressionError) {
            _ = try TopicCondition(text)
        } catch {
            add(LintFinding(.brokenTags, String(text.prefix(120)), "\(text.quoted) names no topics: \(error)"))
        }
    }

    private struct Fault: Error {
        let finding: LintFinding
    }

    private static func read(_ text: String) -> Result<TagExpression, Fault> {
        do throws(TagExpressionError) {
            return .success(try TagExpression(text))
        } catch {
            // As it was read, up to the fault: too many tags are a fault of their own.
            var parser = TagExpressionParser(text, of: .notificationHubs)
            _ = try? parser.parse()
            let facts = HubKind.notificationHubs.facts
            let isOver = parser.tagStarts.count > (parser.onlyOr ? facts.tags : facts.mixedTags)
            return .failure(
                Fault(
                    finding: LintFinding(
                        isOver ? .mixedTags : .brokenTags, String(text.prefix(120)),
                        "\(text.quoted) is no expression that a hub takes: \(error)")))
        }
    }
}
