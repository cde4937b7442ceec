/// Holds templates, contents and tags of one hub against each other, before a send. Pure.
public struct Lint: Sendable {
    /// What a send would carry: the properties as the hub gets them.
    public struct Content: Sendable, Equatable {
        public var properties: StringObject

        public init(_ properties: StringObject) { self.properties = properties }
    }

    /// The worst first; each once.
    public private(set) var findings: [LintFinding] = []
    /// Findings beyond the limit.
    public private(set) var leftOut = 0

    /// Bytes of the largest body of a request; nil: not known, or all would be refused.
    public private(set) var largestBody: Int?

    /// Findings of one rule: a person reads no more, and what is near to a name is looked for at a cost.
    public static let limit = 100

    private var known: Set<LintFinding> = []
    private var counts: [LintRule: Int] = [:]

    /// - Parameters:
    ///   - contents: empty: only what needs no content is checked.
    ///   - hub: nil: not known, so nothing is said of languages and kinds.
    ///   - tags: expressions that sends are for; empty: not known.
    ///   - reach: what was counted at the hub; empty: nothing.
    public init(
        _ templates: [PreviewTemplate], contents: [Content] = [], hub: HubSettings? = nil, tags: [String] = [],
        reach: [KnownReach] = []
    ) {
        let labels = Self.labels(templates)
        var ready: [ReadyTemplate] = []
        for (template, label) in zip(templates, labels) {
            do throws(TemplateError) {
                ready.append(ReadyTemplate(template, label, try template.registered()))
            } catch {
                add(.brokenTemplate(label, error))
            }
        }
        for template in ready { check(template) }
        checkDevices(templates, tags)
        if contents.isEmpty {
            for template in ready { checkShape(template) }
        } else {
            check(ready, contents, hub.map(LanguageNames.init))
        }
        if let hub { checkLanguages(ready, contents, hub) }
        checkTags(tags, templates, hub?.kind ?? .notificationHubs)
        if !tags.isEmpty { checkReach(tags, ReachTable(reach)) }
        sort()
    }

    /// Of what phones of a campaign would show, with the longest values that recipients are known to have.
    ///
    /// - Parameters:
    ///   - sample: of recipients; empty: their values are taken to be short.
    ///   - templates: that devices of the hub have, as far as known.
    ///   - tags: that the audience names; empty: none, or not known.
    ///   - reach: what was counted at the hub; empty: nothing.
    public init(
        _ templates: [PreviewTemplate], saying content: RunContent, at hub: HubSettings,
        sample: [StandIn] = [], tags: [String] = [], reach: [KnownReach] = []
    ) {
        func shown(_ value: (String) -> StandIn.Value?) -> Previews {
            let values = content.placeholders.map { "\"\($0)\":\(value($0)?.json ?? #""x""#)" }
            return Previews(
                of: content, at: hub, properties: "{\(values.joined(separator: ","))}", templates: templates)
        }
        var previews = shown { Self.longest($0, in: sample) }
        let refused = previews.refused
        // The rest is to be seen, too, where some values are too long to be sent.
        if !refused.isEmpty, !sample.isEmpty { previews = shown { _ in nil } }
        self.init(
            templates, contents: previews.bodies.map(Content.init), hub: hub, tags: tags, reach: reach)
        largestBody = previews.largestBody
        for refusal in refused { add(.unsendable(refusal.locale, refusal.text)) }
        for preview in previews.all where preview.source == .native { check(preview) }
        sort()
    }

    /// The longest value that can be shown.
    private static func longest(_ name: String, in sample: [StandIn]) -> StandIn.Value? {
        let values = sample.compactMap { $0.values[name.lowercased()] }.filter { value in
            switch value.kind {
            case .array, .object, .control: false
            case .blank, .digits, .ascii, .text: true
            }
        }
        return values.max { $0.written < $1.written }
    }

    mutating func add(_ finding: LintFinding) {
        guard !known.contains(finding) else { return }
        guard !isFull(finding.rule) else { return leftOut += 1 }
        known.insert(finding)
        counts[finding.rule, default: 0] += 1
        findings.append(finding)
    }

    func isFull(_ rule: LintRule) -> Bool { counts[rule] ?? 0 >= Self.limit }

    /// In the order of the rules' levels, and of each level as found.
    private mutating func sort() {
        findings = LintRule.Level.allCases.flatMap { level in findings.filter { $0.level == level } }
    }

    /// The names of templates, with the platform where others have the same name.
    private static func labels(_ templates: [PreviewTemplate]) -> [String] {
        let platforms = Dictionary(grouping: templates, by: \.name).mapValues { Set($0.map(\.platform)).count }
        return templates.map { template in
            let name = String(template.name.prefix(120))
            return platforms[template.name] ?? 1 > 1 ? "\(name) (\(template.platform.rawValue))" : name
        }
    }
}

/// A template that a hub takes, with what it is called.
struct ReadyTemplate {
    let source: PreviewTemplate
    let label: String
    let registered: RegisteredTemplate

    init(_ source: PreviewTemplate, _ label: String, _ registered: RegisteredTemplate) {
        self.source = source
        self.label = label
        self.registered = registered
    }
}
