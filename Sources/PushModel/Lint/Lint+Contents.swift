// What is wrong between templates and contents.
extension Lint {
    /// Names among which a similar one is looked for.
    private static let nearLimit = 200

    mutating func check(_ templates: [ReadyTemplate], _ contents: [Content], _ languages: LanguageNames?) {
        let sent = Self.distinct(contents.flatMap(\.properties.names))
        let folded = Set(sent.map { $0.lowercased() })
        let uses = templates.reduce(into: Set<String>()) { $0.formUnion($1.registered.uses) }
        let spare = Array(sent.lazy.filter { !uses.contains($0.lowercased()) }.prefix(Self.nearLimit))
        let longest = Self.longest(contents)
        for template in templates {
            let own = Set(template.source.variables.keys.map { $0.lowercased() })
            let missing = template.registered.required.filter { name in
                !folded.contains(name.lowercased()) && !own.contains(name.lowercased())
            }
            if !checkAlert(template, contents) {
                for name in missing {
                    let near =
                        isFull(.missingProperty)
                        ? nil : DidYouMean.nearest(to: name.lowercased(), in: spare, tolerance: .oneInThree)
                    add(.missingProperty(template: template.label, name, near: near))
                }
            }
            checkRendered(template, contents, longest)
        }
        guard !templates.isEmpty else { return }
        let lacking = uses.subtracting(folded).sorted().prefix(Self.nearLimit)
        let parts = languages.map { names in uses.compactMap { names.parts(of: $0) } } ?? []
        let shown = Set(parts.map(\.language.locale))
        let bases = Set(parts.map(\.base))
        for name in sent where !uses.contains(name.lowercased()) {
            if let languages {
                // Of a language that no template shows, that is said once. Without a language the text is for apps that know
                // none, where others show it with one.
                if let (language, base) = languages.parts(of: name) {
                    if !shown.contains(language.locale) || uses.contains(base.lowercased()) { continue }
                } else if bases.contains(name.lowercased()) {
                    continue
                }
            }
            add(unused: name, near: lacking)
        }
    }

    private mutating func add(unused name: String, near names: some Sequence<String>) {
        let near =
            isFull(.unusedProperty)
            ? nil : DidYouMean.nearest(to: name.lowercased(), in: names, tolerance: .oneInThree)
        add(.unusedProperty(name, near: near))
    }

    /// - Returns: whether a content makes an empty alert of it.
    private mutating func checkAlert(_ template: ReadyTemplate, _ contents: [Content]) -> Bool {
        for content in contents {
            let properties = template.source.properties(of: content.properties)
            let payload = template.registered.render(properties).payload
            guard AlertText(payload: payload)?.isEmpty == true else { continue }
            let has = TemplateProperties(properties)
            add(
                .emptyAlert(
                    template: template.label, missing: template.registered.required.filter { has[$0] == nil },
                    sent: content.properties.names))
            return true
        }
        return false
    }

    private mutating func checkRendered(
        _ template: ReadyTemplate, _ contents: [Content], _ longest: StringObject
    ) {
        let platform = template.source.platform
        let largest = template.registered.render(template.source.properties(of: longest))
        let limit = platform.payloadLimit(largest.headers)
        if largest.payload.utf8.count > limit {
            add(.tooLargeForPlatform(largest.payload.utf8.count, limit: limit, on: platform, template: template.label))
        }
        for content in contents {
            let made = template.registered.render(template.source.properties(of: content.properties))
            let fault = PlatformPayload.fault(in: made.payload, format: platform.format, headers: made.headers)
            guard let fault else { continue }
            return add(.payloadShape(template: template.label, fault, on: platform))
        }
    }

    /// Languages of the hub that no template shows.
    mutating func checkLanguages(_ templates: [ReadyTemplate], _ contents: [Content], _ hub: HubSettings) {
        let languages = LanguageNames(hub)
        if templates.isEmpty || languages.all.isEmpty { return }
        let shown = Set(
            templates.flatMap { $0.registered.uses.compactMap { languages.parts(of: $0)?.language.locale } })
        // Apps that know no languages are meant to show none.
        if shown.isEmpty { return }
        var examples: [String: String] = [:]
        for name in contents.flatMap(\.properties.names) {
            if let locale = languages.parts(of: name)?.language.locale, examples[locale] == nil {
                examples[locale] = name
            }
        }
        for language in languages.all where !shown.contains(language.locale) {
            add(.missingLanguage(language.word, locale: language.locale, example: examples[language.locale]))
        }
    }

    /// The longest value of each property of all contents.
    private static func longest(_ contents: [Content]) -> StringObject {
        if contents.count == 1 { return contents[0].properties }
        var order: [String] = []
        var values: [String: (name: String, value: String)] = [:]
        for (name, value) in contents.flatMap(\.properties.pairs) {
            let folded = name.lowercased()
            guard let known = values[folded] else {
                order.append(folded)
                values[folded] = (name, value)
                continue
            }
            if value.utf8.count > known.value.utf8.count { values[folded]?.value = value }
        }
        var writer = StringObjectWriter()
        for folded in order { if let (name, value) = values[folded] { writer.append(name, value) } }
        // What a writer of ours wrote is such an object.
        return (try? StringObject(writer.finish())) ?? .empty
    }

    private static func distinct(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0.lowercased()).inserted }
    }
}
