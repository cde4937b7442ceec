import PushModel
import Signing

// The key table of a hub's entry. Each key is for every kind of hub unless `only` says otherwise.

extension HubConfiguration {
    static let keys: [SettingKey<HubConfiguration>] = [
        .choice("kind", \.settings.kind, "the push service", change: .never),
        .text(
            "hub", \.settings.hub,
            .text(
                rule: "1 to 260 letters, digits, '.', '-' and '_'", pattern: "^[A-Za-z0-9._-]{1,260}$",
                holds: HubRules.isHubName),
            "the hub's own name at the service"
        ).only(for: .notificationHubs),
        .secret("connectionString", \.connectionString, rule: connectionRule, "the address and the key of the hub")
            .only(for: .notificationHubs),
        .secret(
            "secondaryConnectionString", \.secondaryConnectionString, rule: connectionRule,
            "the key that takes over when the first is refused"
        ).only(for: .notificationHubs),
        .secret(
            "serviceAccount", \.serviceAccount, rule: accountRule,
            "the account that sends: the text of its key file, not the file's path"
        ).only(for: .fcm),
        .secret(
            "secondaryServiceAccount", \.secondaryServiceAccount, rule: accountRule,
            "the account, or another key of the same one, that takes over when the first is refused"
        ).only(for: .fcm),
        .secret(
            "key", \.apns.key, rule: "the text of a .p8 file of Apple",
            "the key that signs: the text of its .p8 file, not the file's path"
        ).only(for: .apns),
        .secret(
            "secondaryKey", \.apns.secondaryKey, rule: "the text of a .p8 file of Apple",
            "the key that takes over when the first is refused"
        ).only(for: .apns),
        .optionalText("teamId", \.apns.team, appleID, "the id of the developer team that the keys are of")
            .only(for: .apns),
        .optionalText("keyId", \.apns.keyID, appleID, "the id of key: it stands in the name of its file")
            .only(for: .apns),
        .optionalText("secondaryKeyId", \.apns.secondaryKeyID, appleID, "the id of secondaryKey").only(for: .apns),
        .secret(
            "certificate", \.apns.certificate, rule: "a certificate in PEM form",
            "in place of key: the client certificate, in PEM form"
        ).only(for: .apns),
        .secret(
            "certificateKey", \.apns.certificateKey, rule: "a private key in PEM form",
            "the private key of certificate, in PEM form"
        ).only(for: .apns),
        .secret(
            "certificatePassword", \.apns.certificatePassword, rule: "text", "what certificateKey is encrypted with"
        ).only(for: .apns),
        .optionalText(
            "topic", \.settings.topic,
            .text(
                rule: "a bundle id: 1 to 255 letters, digits, '-', '.' and '_'", pattern: "^[A-Za-z0-9._-]{1,255}$",
                holds: BundleID.isBundleID),
            "the app that pushes are for: its bundle id; without it the one that certificate names"
        ).only(for: .apns),
        .choice(
            "environment", \.settings.environment, "which of Apple's services; sandbox: for apps that Xcode installs"
        ).only(for: .apns),
        SettingKey(
            name: "project",
            rule: .text(
                rule: "1 to 100 small letters, digits, '-', '.' and ':'", pattern: "^[a-z0-9][a-z0-9.:-]{0,99}$",
                holds: HubRules.isProject),
            about: "the id of the project at the service; without it that of the service account"
        ) {
            $0.settings.project.isEmpty ? nil : .text($0.settings.project)
        } set: {
            $0.settings.project = $1.description
        }.only(for: .fcm),
        SettingKey(
            name: "endpoint",
            rule: .text(
                rule: "https://host, https://host:port, or the same with http:// on this machine",
                pattern: HubRules.endpointPattern
            ) { HubRules.endpoint($0) != nil },
            about: "where the service is, for an emulator; without it the service's own address"
        ) {
            $0.settings.endpoint.map(SettingValue.text)
        } set: {
            $0.settings.endpoint = HubRules.endpoint($1.description)
        }.only(for: .fcm, .apns),
        SettingKey(
            name: "tags", rule: .choice(["topics"]),
            about: "topics: the tags of messages are topics; without it they are refused"
        ) {
            $0.settings.tagsAreTopics ? .text("topics") : nil
        } set: { hub, _ in
            hub.settings.tagsAreTopics = true
        }.only(where: { $0.tag == .topics }),
        .optionalText(
            "broadcastTopic", \.settings.broadcastTopic,
            .text(
                rule: "a topic: 1 to 900 letters, digits, '-', '_', '.', '~' and '%'",
                pattern: "^[A-Za-z0-9_.~%-]{1,900}$", holds: HubRules.isTopic),
            "the topic that messages to all devices go to, if allowBroadcast allows them"
        ).only(where: { $0.tag == .topics }),
        .choice("localization", \.settings.localization, "how a language reaches the devices: by property or by tag")
            .only(where: \.takesLanguages),
        .text(
            "propertyPattern", \.settings.propertyPattern,
            .text(
                rule: "text that holds {property} and {language} once each",
                pattern: #"\{property\}.*\{language\}|\{language\}.*\{property\}"#, holds: HubRules.isPropertyPattern),
            "the name of a localised property"
        ).only(where: \.takesTemplates),
        .optionalText(
            "fallback", \.settings.fallback, .text(rule: "one of languages") { _ in true },
            "the locale sent in place of missing ones; one of languages"),
        .flag(
            "plainFallback", \.settings.plainFallback,
            "whether the fallback is also sent under names without a language"
        ).only(where: \.takesTemplates),
        .integer(
            "settleMilliseconds", \.settings.settleMilliseconds, 0...60_000, unit: "milliseconds",
            "how long a keyed content waits for its translations"),
        .integer(
            "contentKeyHours", \.settings.contentKeyHours, 1...8760, unit: "hours",
            "how long a content_key is remembered"),
        .integer(
            "dedupeHours", \.settings.dedupeHours, 1...8760, unit: "hours", "how long a dedupe_key is remembered"),
        .flag(
            "keysPerTenant", \.settings.keysPerTenant,
            "whether each tenant has content_keys and dedupe_keys of its own"),
        .flag(
            "packTags", \.settings.packTags,
            "whether posts with the same content to different tags become one post to `a || b`; for kind fcm the default is false"
        ).only(where: { $0.tag != .none }),
        .flag("allowBroadcast", \.settings.allowBroadcast, "whether a message may go to all devices")
            .only(where: \.takesBroadcasts),
        .optionalText(
            "zoneTag", \.settings.zoneTag,
            .text(
                rule: "a tag that holds {zone} once, such as tz:{zone}",
                pattern: #"^[A-Za-z0-9_@#.:-]{0,60}\{zone\}[A-Za-z0-9_@#.:-]{0,20}$"#, holds: HubRules.isZoneTag),
            "the tag that devices have of their time zone, with _ in place of /, for campaigns in everybody's own zone"
        ).only(where: { $0.tag != .none }),
        .choice("onDoubt", \.settings.onDoubt, "what happens to a message whose post was never answered"),
        .choice(
            "unavailable", \.settings.unavailable,
            "what an answer 500 or 503 means: retry: not sent, so it is sent again; doubt: perhaps sent, so onDoubt decides"
        ).only(for: .fcm),
        .integer(
            "expireAfterSeconds", \.settings.expireAfterSeconds, 1...2_592_000, unit: "seconds",
            "life of a message without an expiry of its own"),
        .integer(
            "window", \.settings.window, 1...512, unit: "posts",
            "posts in flight to this hub at most; urgent ones may be a sixteenth more, at least one"),
        .integer(
            "ratePerSecond", \.settings.ratePerSecond, 0...100_000, unit: "posts per second; 0: no limit",
            "posts per second to this hub at most"),
        .integer(
            "rampSeconds", \.settings.rampSeconds, 0...3600, unit: "seconds; 0: at once",
            "how long the rate grows to ratePerSecond after a minute without posts; Google advises 60"
        ).only(for: .fcm),
        .integer(
            "deviceWindow", \.settings.deviceWindow, 1...512, unit: "changes",
            "changes of devices in flight to this hub at most"
        ).only(where: \.keepsDevices),
    ]

    /// `languages` is a map: one key for each locale in the sources.
    static func language(_ locale: String) -> SettingKey<HubConfiguration> {
        .optionalText(
            "languages.\(locale)", \.settings.languages[locale],
            .text(
                rule: "1 to 64 letters, digits, '-' and '_'", pattern: "^[A-Za-z0-9_-]{1,64}$",
                holds: HubRules.isLanguageWord),
            "the word for this language in property names")
    }

    private static let appleID = SettingRule.text(
        rule: "10 capital letters and digits", pattern: "^[A-Z0-9]{10}$", holds: ProviderKey.isID)
    private static let connectionRule = "Endpoint=sb://…;SharedAccessKeyName=…;SharedAccessKey=…"
    private static let accountRule = "the text of a service account's JSON key file"
}
