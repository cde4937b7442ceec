/// One thing that a rule found.
public struct LintFinding: Sendable, Hashable {
    public let rule: LintRule
    /// The template, property, language or tag that it is about.
    public let about: String
    /// What is wrong, with its effect. May quote what strangers wrote.
    public let text: String
    /// What to do.
    public let hint: String

    public var level: LintRule.Level { rule.level }

    /// Both, as a warning of the emulator has them.
    public var line: String { "\(text); \(hint)" }

    /// - Parameter hint: nil: that of the rule.
    init(_ rule: LintRule, _ about: String, _ text: String, hint: String? = nil) {
        self.rule = rule
        self.about = about
        self.text = text
        self.hint = hint ?? rule.hint
    }
}

// What each rule says. The emulator says it of a send, lint of what would be sent.
extension LintFinding {
    public static func brokenTemplate(_ template: String, _ error: TemplateError) -> LintFinding {
        LintFinding(.brokenTemplate, template, "no hub takes the template \(template): \(error)")
    }

    public static func mixedText(_ template: String, _ mixed: Template.Mixed) -> LintFinding {
        LintFinding(
            .mixedText, "\(template) \(mixed.path)",
            "the template \(template) shows \(mixed.path) as it is written, \"\(mixed.text.prefix(80))\": a value is an "
                + "expression only when it begins with one")
    }

    static func templateExpiry(_ template: String, _ expiry: String) -> LintFinding {
        LintFinding(
            .templateExpiry, template, "the template \(template) has the expiry \(expiry.quoted), which is no date")
    }

    static func templateHeader(_ template: String, _ name: String, on platform: DevicePlatform) -> LintFinding {
        let near = DidYouMean.nearest(
            to: name.lowercased(), in: PlatformHeaders.known(on: platform), tolerance: .oneInThree)
        return LintFinding(
            .templateHeader, "\(template) \(name.prefix(120))",
            "the template \(template) has the header \(String(name.prefix(120)).quoted), which \(platform.rawValue) does not "
                + "know",
            hint: near.map { "write \($0)" })
    }

    public static func wnsType(template: String) -> LintFinding {
        LintFinding(
            .wnsType, template,
            "the template \(template) is for Windows and has no X-WNS-Type among the template's headers: Windows refuses "
                + "what the hub took")
    }

    /// - Parameters:
    ///   - template: nil: the payload was written in the platform's own format.
    ///   - fault: of `PlatformPayload`.
    public static func payloadShape(
        template: String?, _ fault: String, on platform: DevicePlatform
    ) -> LintFinding {
        let source = template.map { "what the template \($0) makes" } ?? "the payload"
        return LintFinding(
            .payloadShape, template.map { "\(platform.rawValue) \($0)" } ?? platform.rawValue,
            "\(source) is not what \(platform.rawValue) takes: \(fault). The hub says 201; the platform refuses it or shows "
                + "nothing")
    }

    /// - Parameter source: what has that many bytes: `the template news makes 5,000 bytes, which`. nil: the bytes alone.
    public static func tooLargeForPlatform(
        _ bytes: Int, limit: Int, on platform: DevicePlatform, template: String? = nil
    ) -> LintFinding {
        let source = template.map { "what the template \($0) makes of the longest values: " } ?? ""
        return LintFinding(
            .tooLargeForPlatform, template.map { "\(platform.rawValue) \($0)" } ?? platform.rawValue,
            "\(source)\(bytes) bytes are more than the \(limit) that \(platform.rawValue) takes: the hub says 201, the "
                + "platform drops it and nobody sees it")
    }

    /// - Parameters:
    ///   - template: nil: the payload was written in the platform's own format.
    ///   - missing: properties that it uses and the message lacks.
    ///   - sent: the names of the message's properties.
    public static func emptyAlert(template: String?, missing: [String], sent: [String]) -> LintFinding {
        guard let template else {
            return LintFinding(
                .emptyAlert, "", "the payload shows an empty alert: the device shows nothing, or an empty bubble",
                hint: "write a text, or a push without an alert")
        }
        let has = sent.isEmpty ? "no property at all" : sent.prefix(5).joined(separator: ", ")
        let lack =
            missing.isEmpty
            ? "what it uses is empty in the message"
            : "the message lacks \(missing.joined(separator: ", ")) and has \(has)"
        return LintFinding(
            .emptyAlert, template,
            "the template \(template) shows an empty alert: \(lack). The device shows nothing, or an empty bubble")
    }

    /// - Parameter near: a property of the message whose name is similar.
    public static func missingProperty(template: String, _ name: String, near: String? = nil) -> LintFinding {
        LintFinding(
            .missingProperty, "\(template) \(name)",
            "the template \(template) uses \(name), which the message lacks: it shows as an empty text",
            hint: (near.map { "did you mean \($0)? Else " } ?? "")
                + "send it, or give it a default as $(\(name):{text})")
    }

    /// - Parameter near: a property that templates use and the message lacks, with a similar name.
    public static func unusedProperty(_ name: String, near: String?) -> LintFinding {
        LintFinding(
            .unusedProperty, String(name.prefix(120)),
            "no template that gets it uses the property \(name.prefix(120)): nobody sees it",
            hint: near.map { "the templates have \($0)" })
    }

    static func missingLanguage(_ word: String, locale: String, example: String?) -> LintFinding {
        LintFinding(
            .missingLanguage, locale,
            "no template shows \(word) (\(locale)): no phone shows the texts of this language",
            hint: example.map { "register a template that shows $(\($0))" })
    }

    static func severalTemplates(_ templates: [String], device: String) -> LintFinding {
        LintFinding(
            .severalTemplates, String(device.prefix(120)),
            "a send reaches \(templates.count) templates of the device \(device.prefix(120)) "
                + "(\(templates.prefix(5).joined(separator: ", "))\(templates.count > 5 ? ", …" : "")): it shows "
                + "\(templates.count) notifications")
    }

    static func unsendable(_ locale: String?, _ text: String) -> LintFinding {
        LintFinding(.unsendable, locale ?? "content", "it would be refused: \(text)")
    }

    static func unreachedTags(_ known: KnownReach) -> LintFinding {
        let day = CivilDate(daysSince1970: Int((max(0, min(known.countedAt, 1e11)) / 86_400).rounded(.down)))
        return LintFinding(
            .unreachedTags, known.expression,
            "no device had \(known.expression) when it was counted at the hub on \(day.text)")
    }

    /// What is odd about a valid tag expression.
    public init(_ remark: TagRemark) {
        switch remark {
        case .word(let tag): self.init(.wordTag, tag.folded, "\(tag) is a tag here and no operator")
        case .matchesNobody(let expression):
            self.init(
                .impossibleTags, expression.description,
                "no device can match \(expression): it asks for a tag and for its absence; the send is taken and nobody gets it"
            )
        case .matchesEverybody(let expression):
            self.init(
                .matchesEverybody, expression.description,
                "every device matches \(expression), whatever its tags: this is a broadcast")
        }
    }
}
