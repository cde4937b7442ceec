import PushModel

extension SettingsLoader {
    /// Checks the rules between the keys of one hub, but for its secrets.
    mutating func checkHub(_ name: String, badFileKeys: Set<String>) {
        guard let hub = settings.hubs[name]?.settings else { return }
        checkLanguages(hub, badFileKeys: badFileKeys)
        checkWords(hub)
        checkSettling(hub)
        checkWindow(hub)
        checkTopics(hub, badFileKeys: badFileKeys)
        checkRamp(hub, badFileKeys: badFileKeys)
    }

    private mutating func checkLanguages(_ hub: HubSettings, badFileKeys: Set<String>) {
        let name = hub.name
        let locales = hub.languages.keys.sorted()
        for locale in locales {
            do throws(LocaleError) {
                _ = try LocaleTag(locale)
            } catch {
                report("hubs.\(name).languages.\(locale)", "is not a locale", error.rule, "Write it like fr or zh-Hans")
            }
        }
        let sorted = locales.sorted { $0.lowercased() < $1.lowercased() }
        for (one, next) in zip(sorted, sorted.dropFirst()) where one.lowercased() == next.lowercased() {
            report(
                "hubs.\(name).languages.\(next)", "is the same locale as \(one)", "locales ignore case", "Remove one")
        }
        if let fallback = hub.fallback, case let key = "hubs.\(name).languages.\(fallback)",
            hub.languages[fallback] == nil, origins[key] == nil, !badFileKeys.contains(key)
        {
            let near =
                locales.first { $0.lowercased() == fallback.lowercased() }
                ?? DidYouMean.nearest(to: fallback, in: locales)
            report(
                "hubs.\(name).fallback", "is \"\(fallback)\"", "must be one of languages",
                near.map { "Did you mean \"\($0)\"" } ?? "Add it to languages, or choose another")
        }
    }

    private mutating func checkWindow(_ hub: HubSettings) {
        guard hub.window > settings.dispatch.slots else { return }
        warn(
            "hubs.\(hub.name).window", "is \(hub.window)",
            "has no effect beyond dispatch.slots, \(settings.dispatch.slots)", "Lower it, or raise dispatch.slots")
    }

    /// A content has every language in one body, so two languages with one word would give a property twice, and no
    /// content in a language would ever be sent. Hubs compare names without case.
    private mutating func checkWords(_ hub: HubSettings) {
        guard hub.localization == .properties, hub.kind.facts.takesTemplates else { return }
        let locales = hub.languages.keys.sorted()
        for (index, locale) in locales.enumerated() {
            guard let word = hub.languages[locale],
                let other = locales[..<index].first(where: { hub.languages[$0]?.lowercased() == word.lowercased() }),
                other.lowercased() != locale.lowercased()
            else { continue }
            report(
                "hubs.\(hub.name).languages.\(locale)", "is \"\(word)\", the word of \(other)",
                "a content would have each property twice, and the hub would refuse it",
                "Choose another word, or remove one: \(other) also stands in for more specific locales such as \(other)-XX"
            )
        }
    }

    private mutating func checkSettling(_ hub: HubSettings) {
        guard hub.settleMilliseconds >= hub.expireAfterSeconds * 1000 else { return }
        report(
            "hubs.\(hub.name).settleMilliseconds", "is \(hub.settleMilliseconds)",
            "a content with a content_key would expire while it waits for its translations: expireAfterSeconds is "
                + "\(hub.expireAfterSeconds)", "Lower it, or raise expireAfterSeconds")
    }

    /// What a hub whose tags are topics needs beside them.
    private mutating func checkTopics(_ hub: HubSettings, badFileKeys: Set<String>) {
        guard hub.kind.facts.tag == .topics else { return }
        let start = "hubs.\(hub.name)."
        if hub.allowBroadcast, isNotGiven(start + "broadcastTopic", badFileKeys: badFileKeys) {
            report(
                start + "allowBroadcast", "is true",
                "a message to all devices goes to broadcastTopic, which is not set",
                "Set broadcastTopic to a topic that every device has, or leave allowBroadcast out")
        }
        guard let tag = hub.zoneTag else { return }
        if !HubRules.isTopic(tag.replacing("{zone}", with: "zone")) {
            report(
                start + "zoneTag", "is \"\(tag)\"", "a topic has no '@', '#' and ':'", "Write it like tz_{zone}")
        } else if isNotGiven(start + "tags", badFileKeys: badFileKeys) {
            warn(
                start + "zoneTag", "is \"\(tag)\"", "has no effect without tags", "Set tags to topics, or leave it out")
        }
    }

    private mutating func checkRamp(_ hub: HubSettings, badFileKeys: Set<String>) {
        let start = "hubs.\(hub.name)."
        guard hub.rampSeconds > 0, hub.ratePerSecond == 0, !badFileKeys.contains(start + "ratePerSecond") else {
            return
        }
        warn(
            start + "rampSeconds", "is \(hub.rampSeconds)", "has no effect without a limit that the rate grows to",
            "Set ratePerSecond, or leave it out")
    }

    /// No source has the key, not even with a wrong value, which is reported already.
    func isNotGiven(_ key: String, badFileKeys: Set<String>) -> Bool {
        origins[key] == nil && !badFileKeys.contains(key)
    }

    /// `a-b` and `a_b` are two hubs with one variable.
    mutating func checkVariables() {
        let names = Dictionary(grouping: settings.hubs.keys) { SettingsSources.environmentName(of: ["hubs", $0]) }
        for (variable, hubs) in names.sorted(by: { $0.key < $1.key }) where hubs.count > 1 {
            warnings.append(
                SettingsProblem(
                    key: "hubs", found: "has \(hubs.sorted().joined(separator: " and "))",
                    rule: "they share the variables \(variable)_…", remedy: "Rename one to set them apart"))
        }
    }
}
