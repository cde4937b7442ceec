/// What the phones of one hub show of a content: for each language and platform what a person would see. Pure.
///
/// Bodies are those of `Plan`, so fallbacks, `plainFallback`, `propertyPattern` and `{{name|friend}}` are those of the send.
public struct Previews: Sendable {
    /// What cannot be shown, because it would not be sent.
    public struct Refused: Sendable, Equatable {
        /// nil: all languages are in one body, or there are none.
        public let locale: String?
        public let reason: Reason
        public let text: String
    }

    public let hub: String
    /// By language, then in the order of platforms and templates.
    public private(set) var all: [Preview] = []
    public private(set) var refused: [Refused] = []
    /// Templates that no hub takes, each with what is wrong.
    public private(set) var broken: [(template: String, why: String)] = []
    /// Languages of the hub that no known template shows.
    public private(set) var unshown: [String] = []
    /// What the requests carry, of templates: one for each language, or for all.
    public private(set) var bodies: [StringObject] = []
    /// Bytes of the largest body of a request; nil: all are refused.
    public private(set) var largestBody: Int?
    /// Bytes that a request to the hub may have.
    public let bodyLimit: Int
    /// Whether examples stand in for templates that nobody knows.
    public var hasExamples: Bool { all.contains { $0.source == .example } }
    /// Previews that were left out, because there are more than `limit`.
    public private(set) var leftOut = 0

    /// Of all languages and templates together: a screen of more is read by nobody.
    public static let limit = 1_000

    /// - Parameters:
    ///   - properties: what the recipient has of its own: one JSON object.
    ///   - locale: nil: every language that the hub or the content tells apart.
    ///   - platforms: empty: those of the templates, else iPhone and Android.
    ///   - templates: that devices of the hub have, as far as known.
    public init(
        of content: RunContent, at hub: HubSettings, properties: String = "{}", locale: String? = nil,
        platforms: [DevicePlatform] = [], templates: [PreviewTemplate] = []
    ) {
        self.hub = hub.name
        bodyLimit = hub.kind.facts.bodyBytes
        let names = LanguageNames(hub)
        if content.isInOneBody(on: hub) {
            guard let post = plan(content, hub, properties, nil) else { return }
            let chosen = locale.map { locale in names.nearest(to: locale, fallback: hub.fallback).map { [$0] } ?? [] }
            show(post, names, chosen ?? names.all, asked: locale, platforms, templates)
        } else {
            let all = content.locales.isEmpty ? [nil] : content.locales.map(Optional.some)
            for locale in locale.map({ [$0] }) ?? all {
                guard let post = plan(content, hub, properties, locale) else { continue }
                if content.format == "template" {
                    show(post, locale: locale, platforms, templates)
                } else {
                    show(native: post, at: hub, locale: locale, platforms)
                }
            }
        }
    }

    /// The post that the recipient would get; nil: it would be refused.
    private mutating func plan(
        _ content: RunContent, _ hub: HubSettings, _ properties: String, _ locale: String?
    ) -> Post? {
        // What a row is for decides nothing of what it says, but some formats go to tags alone and others to handles alone.
        let targets: [Target] =
            hub.kind.facts.tag == .expression
            ? [.tag("everybody"), .handles([String(repeating: "f", count: 64)])]
            : [.handles([String(repeating: "f", count: 64)])]
        var refusal: Refusal?
        for target in targets {
            let message = Message(
                id: 1, target: target, locale: locale, content: properties, format: content.format,
                expiresAt: .infinity,
                stream: content.id)
            let plan = Plan([message], for: hub, now: 0, runContents: [content.id: content])
            if let post = plan.posts.first {
                largestBody = max(largestBody ?? 0, post.body.count)
                return post
            }
            refusal = refusal ?? plan.refusals.first
        }
        if let refusal { refused.append(Refused(locale: locale, reason: refusal.reason, text: refusal.text)) }
        return nil
    }

    /// One body with all languages: each template picks its own.
    private mutating func show(
        _ post: Post, _ names: LanguageNames, _ languages: [LanguageNames.Language], asked: String?,
        _ platforms: [DevicePlatform], _ templates: [PreviewTemplate]
    ) {
        guard let message = try? StringObject(post.body) else { return }  // never: the planner has written it
        bodies.append(message)
        let ready = compile(templates, platforms)
        let byLanguage = ready.map { template in
            Set(template.registered.uses.compactMap { names.parts(of: $0)?.language.locale })
        }
        var own: [String: [(name: String, value: String, base: String)]] = [:]
        var plainPairs: [(name: String, value: String)] = []
        for (name, value) in message.pairs {
            if let (language, base) = names.parts(of: name) {
                own[language.locale, default: []].append((name, value, base.lowercased()))
            } else {
                plainPairs.append((name, value))
            }
        }
        for language in languages {
            let translated = own[language.locale] ?? []
            let bases = Set(translated.map(\.base))
            let readable =
                translated.map { ($0.name, $0.value) } + plainPairs.filter { !bases.contains($0.name.lowercased()) }
            let suitable = ready.indices.filter { byLanguage[$0].contains(language.locale) }.map { ready[$0] }
            if suitable.isEmpty, !ready.isEmpty { unshown.append(language.locale) }
            add(suitable, message, locale: language.locale, platforms, readable, from: templates) { template in
                translated.filter { !template.uses.contains($0.name.lowercased()) && !template.uses.contains($0.base) }
                    .map(\.name)
            }
        }
        // Those of apps that know no languages show the same to everybody.
        let plain = ready.indices.filter { byLanguage[$0].isEmpty }.map { ready[$0] }
        let plainNames = plainPairs.map(\.name)
        for template in plain {
            add(
                template, message, locale: nil,
                unused: plainNames.filter { !template.registered.uses.contains($0.lowercased()) })
        }
        if languages.isEmpty, plain.isEmpty {
            add([], message, locale: asked, platforms, message.pairs, from: templates) { _ in [] }
        }
    }

    /// A body of one language, or of none: every template shows it.
    private mutating func show(
        _ post: Post, locale: String?, _ platforms: [DevicePlatform], _ templates: [PreviewTemplate]
    ) {
        guard let message = try? StringObject(post.body) else { return }  // never: the planner has written it
        bodies.append(message)
        let ready = compile(templates, platforms)
        add(ready, message, locale: locale, platforms, message.pairs, from: templates) { template in
            message.names.filter { !template.uses.contains($0.lowercased()) }
        }
    }

    private mutating func show(
        native post: Post, at hub: HubSettings, locale: String?, _ platforms: [DevicePlatform]
    ) {
        let payload = String(decoding: post.body, as: UTF8.self)
        let headers = Dictionary(post.headers.map { ($0.name, $0.value) }) { first, _ in first }
        for platform in Self.platforms(of: post.format, at: hub, payload) {
            guard platforms.isEmpty || platforms.contains(platform) else { continue }
            add(Preview(payload, headers, on: platform, format: post.format, locale: locale))
        }
    }

    /// A notification hub sends a native payload to phones of its platform; FCM itself also hands it on to others.
    private static func platforms(of format: String, at hub: HubSettings, _ payload: String) -> [DevicePlatform] {
        let own = DevicePlatform.allCases.filter { $0.format == format }
        guard hub.kind == .fcm else { return own }
        let message = (try? JSONNode(Array(payload.utf8)))?.value["message"]
        let isShownByAll = message?["notification"] != nil
        return own + (isShownByAll || message?["apns"] != nil ? [.apns] : [])
            + (message?["webpush"] != nil ? [.browser] : [])
    }

    private typealias Ready = (source: PreviewTemplate, registered: RegisteredTemplate)

    /// Those of the platforms that a hub takes.
    private mutating func compile(_ templates: [PreviewTemplate], _ platforms: [DevicePlatform]) -> [Ready] {
        templates.filter { platforms.isEmpty || platforms.contains($0.platform) }.compactMap { template in
            do throws(TemplateError) {
                return (template, try template.registered())
            } catch {
                if !broken.contains(where: { $0.template == template.name }) {
                    broken.append((template.name, "\(error)"))
                }
                return nil
            }
        }
    }

    /// The templates, and examples for platforms without one.
    ///
    /// - Parameter readable: what an example may show.
    private mutating func add(
        _ ready: [Ready], _ message: StringObject, locale: String?, _ platforms: [DevicePlatform],
        _ readable: [(name: String, value: String)], from templates: [PreviewTemplate],
        unused: (RegisteredTemplate) -> [String]
    ) {
        for template in ready { add(template, message, locale: locale, unused: unused(template.registered)) }
        let asked = platforms.isEmpty && templates.isEmpty ? [.apns, .fcmV1] : platforms
        for platform in asked where !templates.contains(where: { $0.platform == platform }) {
            let example = ExampleTemplate(readable).template(on: platform)
            guard let registered = try? example.registered() else { continue }  // nobody could register it
            add(Preview(example, registered, message, locale: locale, unused: [], isExample: true))
        }
    }

    private mutating func add(_ template: Ready, _ message: StringObject, locale: String?, unused: [String]) {
        guard all.count < Self.limit else { return leftOut += 1 }
        add(
            Preview(template.source, template.registered, message, locale: locale, unused: unused, isExample: false))
    }

    private mutating func add(_ preview: Preview) {
        guard all.count < Self.limit else { return leftOut += 1 }
        all.append(preview)
    }
}
