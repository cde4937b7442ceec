/// What can be wrong with templates, contents and tags before a send: one list for `fanfare template lint`,
/// `fanfare campaign check` and the warnings of the emulator, whose words are the same.
public enum LintRule: String, Sendable, CaseIterable {
    case brokenTemplate, mixedText, templateExpiry, templateHeader, wnsType, payloadShape, tooLargeForPlatform,
        emptyAlert,
        missingProperty, unusedProperty, missingLanguage, severalTemplates, unsendable, brokenTags, mixedTags, tagCase,
        wordTag, impossibleTags, matchesEverybody, unreachedTags

    public enum Level: String, Sendable, CaseIterable, Comparable {
        /// Somebody gets nothing, or nothing that was meant.
        case error
        /// Most likely not meant.
        case warning
        /// Worth a look.
        case info

        /// The worst first.
        public static func < (a: Level, b: Level) -> Bool { a.rank < b.rank }
        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    public var level: Level {
        switch self {
        case .brokenTemplate, .wnsType, .payloadShape, .tooLargeForPlatform, .emptyAlert, .unsendable, .brokenTags,
            .mixedTags,
            .impossibleTags:
            .error
        case .mixedText, .templateExpiry, .templateHeader, .missingProperty, .missingLanguage, .severalTemplates,
            .tagCase,
            .wordTag, .matchesEverybody, .unreachedTags:
            .warning
        case .unusedProperty: .info
        }
    }

    /// What it finds, for the tables of documents (docs/emulator.md, docs/campaigns.md).
    public var sentence: String {
        switch self {
        case .brokenTemplate:
            "a template that no hub takes: it is no JSON or XML, or an expression in it does not parse"
        case .mixedText: "a template value like `Hello $(name)`, which is not evaluated"
        case .templateExpiry: "the expiry of a template that is no date, no `0` and no expression"
        case .templateHeader: "a header of a template that its platform does not know"
        case .wnsType: "a Windows notification without a valid `X-WNS-Type`"
        case .payloadShape:
            "a finished payload that its platform would not accept or show, by the rules of the INSERT "
                + "([native formats](native-formats.md)), what these warn of included"
        case .tooLargeForPlatform: "a finished payload over the platform's limit, which the platform drops"
        case .emptyAlert: "a template produced an empty alert, mostly because the send lacks its language"
        case .missingProperty: "a property that a template uses and the message lacks"
        case .unusedProperty:
            "a property that no template uses; of a send, only if its name is similar to one they do use, or if they use none "
                + "of its properties"
        case .missingLanguage: "a language of the hub that no template shows"
        case .severalTemplates: "a device with several templates that a send reaches: it shows each"
        case .unsendable: "a content that would be refused"
        case .brokenTags: "tags that are no expression"
        case .mixedTags:
            "an expression with more than 6 tags that uses `&&` or `!`, or with more than 20 joined by `\\|\\|`"
        case .tagCase: "tags that differ in case alone, which is none to a hub"
        case .wordTag: "a tag named `and`, `or` or `not`: the operators are `&&`, `\\|\\|` and `!`"
        case .impossibleTags: "an expression that no device can match, such as `a && !a`"
        case .matchesEverybody: "an expression that every device matches, such as `a \\|\\| !a`"
        case .unreachedTags: "tags that no device had when somebody counted (`fanfare tag reach`)"
        }
    }

    /// What to do about it.
    public var hint: String {
        switch self {
        case .brokenTemplate: "mend it where it says, and register it again"
        case .mixedText: "write {'text ' + $(name)}"
        case .templateExpiry: "write a date such as 2027-01-15T08:00:00Z, or an expression that becomes one"
        case .templateHeader: "leave it out, or write the name that the platform knows"
        case .wnsType: "add X-WNS-Type (wns/toast, tile, badge or wns/raw) to the template's headers"
        case .payloadShape: "write what the platform takes: docs/native-formats.md"
        case .tooLargeForPlatform: "shorten the text, or cut it in the template as $(name, 200)"
        case .emptyAlert: "send the text for its language, or give the template a default as $(name:{text})"
        case .missingProperty: "send it, or give it a default as $(name:{text})"
        case .unusedProperty: "use it in a template, or leave it out"
        case .missingLanguage: "register a template that shows its properties"
        case .severalTemplates: "send to the name of one template, which is a tag, or keep one"
        case .unsendable: "change the content or the hub's settings as it says"
        case .brokenTags: "join tags with ||, && and !, and group them with parentheses"
        case .mixedTags: "send several times, each with fewer tags"
        case .tagCase: "write each tag in one way"
        case .wordTag: "the operators are && || !"
        case .impossibleTags: "take one of the two out"
        case .matchesEverybody: "name a tag, or write broadcast if everybody is meant"
        case .unreachedTags: "write it as devices have it, or count again: fanfare tag reach"
        }
    }
}
