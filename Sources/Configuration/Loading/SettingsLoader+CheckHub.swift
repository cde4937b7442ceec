import PushModel

extension SettingsLoader {
    /// Checks the rules between the keys of one hub, but for its connection strings.
    mutating func checkHub(_ name: String, badFileKeys: Set<String>) {
        guard let hub = settings.hubs[name]?.settings else { return }
        checkLanguages(hub, badFileKeys: badFileKeys)
        checkWords(hub)
        checkSettling(hub)
        checkWindow(hub)
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
        guard hub.localization == .properties else { return }
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
