import PushModel

/// What people read of a field of a campaign.
struct FieldWords {
    var label: String
    var hint = ""
    /// What may be chosen: its text in the spec. Empty: any text may be typed.
    var choices: [String] = []

    init(_ label: String, _ hint: String = "", choices: [String] = []) {
        (self.label, self.hint, self.choices) = (label, hint, choices)
    }

    init(_ field: CampaignField) {
        self =
            switch field {
            case .tags: FieldWords("Tags", "one a line; devices with any of them")
            case .expression: FieldWords("Expression of tags", "(World && !muted)")
            case .broadcast: FieldWords("Everybody", "where the hub allows it", choices: ["true"])
            case .list: FieldWords("List", "recipients that were loaded from a file")
            case .handles: FieldWords("Handles of a list", "for a native format")
            case .view: FieldWords("View", "of your own tables: marketing.lapsed")
            case .format:
                FieldWords(
                    "Format", "template, or that of a finished payload; Look shows its fields",
                    choices: ["template"] + Set(DevicePlatform.allCases.map(\.format)).sorted())
            case .fallback: FieldWords("Fallback", "the language for recipients whose own is not there: en")
            case .rate: FieldWords("Rate", "messages a second: 2000")
            case .spread: FieldWords("Spread", "instead of a rate, the time in which it is sent: 30 min")
            case .ramp: FieldWords("Ramp", "time in which the rate grows to the full one: 10 min")
            case .priority: FieldWords("Priority", "2 is bulk", choices: ["0", "1", "2"])
            case .pack: FieldWords("Share posts", "recipients with the same text", choices: ["true", "false"])
            case .onDoubt: FieldWords("When in doubt", "whether it was sent", choices: ["hold", "resend"])
            case .expires: FieldWords("Expires", "how long after the start it may be sent: 6 h")
            case .maxDuration: FieldWords("Longest duration", "then the rest gets nothing: 4 h")
            case .localTime: FieldWords("Local time", "by the clock of each recipient: 09:00")
            case .localZones: FieldWords("Zones", "audience, or one a line: Europe/Berlin")
            case .localDefault: FieldWords("Zone of others", "who have none: Europe/Berlin")
            case .localPassed: FieldWords("Zones where it is past", choices: ["now", "skip"])
            case .canaryShare: FieldWords("Canary: share", "of the recipients that come first: 0.01")
            case .canaryLeast: FieldWords("Canary: at least", "recipients: 500")
            case .canaryWait: FieldWords("Canary: wait", "before it is judged: 5 min")
            case .canaryFailed: FieldWords("Canary: failed", "at most this share: 0.02")
            case .canaryDoubt: FieldWords("Canary: in doubt", "at most this share: 0.01")
            case .canaryThen: FieldWords("Canary: then", choices: ["continue", "ask"])
            case .stopRejected: FieldWords("Stop: rejected", "above this share: 0.02")
            case .stopDoubt: FieldWords("Stop: in doubt", "above this share: 0.01")
            case .stopLeast: FieldWords("Stop: at least", "results: 200")
            case .windowFrom: FieldWords("Window: from", "08:00")
            case .windowUntil: FieldWords("Window: until", "21:00")
            case .windowDays: FieldWords("Window: days", "mon-sat")
            case .windowOutside: FieldWords("Window: outside", choices: ["hold", "drop"])
            case .windowZone: FieldWords("Window: zone", "Europe/Berlin")
            case .capCount: FieldWords("Cap: campaigns", "that reach a recipient at most: 3")
            case .capDays: FieldWords("Cap: days", "within these: 7")
            case .capGroup: FieldWords("Cap: group", "of campaigns that count: marketing")
            case .approval: FieldWords("Approval", "who has to read it first", choices: ["none", "one", "two"])
            }
    }
}
