import Foundation

@testable import HubEmulator
@testable import PushModel
@testable import Signing

/// What must hold for every input of a parser. The tests run it over the corpus, bin/fuzz over libFuzzer's
/// inputs.
enum ParserCheck: String, CaseIterable, Sendable {
    case tags, expression, templateJSON, templateXML, connection, token, multipart, contentType, installation, patch,
        registration, strings, condition, categories, providerToken, templateFile, shown

    /// A broken promise.
    struct Broken: Error {
        let promise: String
    }

    func run(_ bytes: [UInt8]) throws(Broken) {
        let text = String(decoding: bytes, as: UTF8.self)
        switch self {
        case .tags: try Self.tags(text)
        case .expression: try Self.expression(text)
        case .templateJSON: try Self.templateJSON(text)
        case .templateXML: try Self.templateXML(text)
        case .connection: try Self.connection(text)
        case .token: try Self.token(text)
        case .multipart: try Self.multipart(bytes)
        case .contentType: try Self.contentType(text)
        case .installation: try Self.installation(bytes)
        case .patch: try Self.patch(bytes)
        case .registration: try Self.registration(bytes)
        case .strings: try Self.strings(bytes)
        case .condition: try Self.condition(text)
        case .categories: try Self.categories(bytes)
        case .providerToken: try Self.providerToken(text)
        case .templateFile: try Self.templateFile(bytes)
        case .shown: try Self.shown(text)
        }
    }

    private static func hold(_ condition: Bool, _ promise: @autoclosure () -> String) throws(Broken) {
        if !condition { throw Broken(promise: promise()) }
    }

    private static func tags(_ text: String) throws(Broken) {
        let expression: TagExpression
        do throws(TagExpressionError) {
            expression = try TagExpression(text)
        } catch {
            return try hold((1...text.utf8.count + 1).contains(error.position), "the error is within the text")
        }
        // nil fails the check below: the promise is that it parses again.
        let again = try? TagExpression(expression.description)
        try hold(again == expression, "what is printed parses to the same")
        let all = Set(expression.tags.map(\.folded))
        for tags in [[], all] + all.map({ [$0] }) {
            try hold(again?.matches(folded: tags) == expression.matches(folded: tags), "it means the same")
        }
    }

    /// What is read out of it can be linted, whatever it is.
    private static func templateFile(_ bytes: [UInt8]) throws(Broken) {
        let templates: [PreviewTemplate]
        do throws(TemplateFile.Fault) {
            templates = try TemplateFile.templates(bytes, name: "t", platform: nil)
        } catch {
            let lines = 1 + bytes.count { $0 == UInt8(ascii: "\n") }
            return try hold((1...lines).contains(error.line ?? 1), "the fault is within the file")
        }
        guard let content = try? StringObject(#"{"title":"x"}"#) else { return }
        let lint = Lint(templates, contents: [Lint.Content(content)], hub: HubSettings(name: "n"))
        let levels = lint.findings.map(\.level)
        try hold(levels == levels.sorted(), "the worst comes first")
        for template in templates {
            let preview = try? Preview(template, showing: content)
            let isBroken = lint.findings.contains { $0.rule == .brokenTemplate }
            try hold(preview != nil || isBroken, "a template that shows nothing is a finding")
        }
    }

    /// Any payload can be shown, on any platform.
    private static func shown(_ text: String) throws(Broken) {
        for platform in DevicePlatform.allCases {
            let preview = NotificationPreview(text, platform: platform)
            try hold(!(preview.isSilent && preview.isEmpty), "what is silent is not empty")
            let alert = AlertText(preview)
            try hold(
                alert == nil || alert?.title == preview.title && alert?.body == preview.body, "its text is its text")
        }
    }

    /// Values that break a careless template engine.
    private static let properties = [
        "a": "\"}]\\\u{0}<&>]]>", "b": "", "n": "40", "m": "-1e", "t": "日本😀e\u{301}", "q": "' \" + {$(a)}",
    ]

    private static func expression(_ text: String) throws(Broken) {
        let expression: TemplateExpression
        do throws(TemplateError) {
            expression = try TemplateExpression(text)
        } catch {
            return try hold((1...text.unicodeScalars.count + 1).contains(error.position), "the error is in the text")
        }
        let value = expression.evaluate(properties)
        if !TemplateExpression.isExpression(text) { try hold(value == .text(text), "a literal stays as it is") }
        if case .number(let number) = value { try hold(Double(number) != nil, "a number is one") }
    }

    private static func templateJSON(_ text: String) throws(Broken) {
        // Most inputs are not a template.
        guard let template = try? Template(json: text) else { return }
        for properties in [[:], properties] {
            let rendered = template.render(properties)
            let object = try? JSONSerialization.jsonObject(with: Data(rendered.utf8))
            // 9e999 is valid JSON but not a Double, so Foundation does not read it.
            let isBeyondDouble = rendered.contains(/[0-9][eE][+-]?[0-9]{3}|[0-9]{300}/)
            try hold(object is [String: Any] || isBeyondDouble, "a JSON template renders to an object")
        }
    }

    private static func templateXML(_ text: String) throws(Broken) {
        // Most inputs are not a template.
        guard let template = try? Template(xml: text) else { return }
        for properties in [[:], properties] {
            let rendered = template.render(properties)
            let outline = XMLOutline(rendered)
            try hold(outline?.root == XMLOutline(text)?.root, "an XML template renders to XML with the same root")
            try hold(outline?.texts.count ?? 0 <= XMLOutline(text)?.texts.count ?? 0, "no value adds an element")
            if template.propertyNames.isEmpty { continue }
            try hold(!rendered.contains("\u{0}"), "what XML cannot carry is not in it")
        }
    }

    private static func connection(_ text: String) throws(Broken) {
        guard let parsed = try? ConnectionString(parsing: text) else { return }
        let key = parsed.key.reveal()
        let others = [parsed.base, parsed.keyName, parsed.entityPath ?? "", "\(ConnectionString.self)", "key•••"]
        if key.utf8.count < 4 || others.contains(where: { $0.contains(key) }) { return }
        for shown in ["\(parsed)", String(reflecting: parsed)] {
            try hold(!shown.contains(key), "the key is never printed")
        }
    }

    private static func token(_ text: String) throws(Broken) {
        let policy = SASPolicy(name: "p", key: Secret("never known"), rights: [.send])
        let verdict = SAS.verify(text, host: "h", path: "/hub/messages", keys: [policy], now: 0)
        if case .valid = verdict { throw Broken(promise: "only the key makes a valid signature") }
    }

    /// The first line is the boundary.
    private static func multipart(_ bytes: [UInt8]) throws(Broken) {
        let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
        let boundary = String(decoding: bytes[..<end], as: UTF8.self)
        guard let body = try? MultipartBody(Array(bytes[end...].dropFirst()), boundary: boundary) else { return }
        try hold(body.parts.count <= 16, "there are at most 16 parts")
        try hold(
            body.parts.reduce(0) { $0 + $1.content.count } <= bytes.count, "the parts are not larger than the body")
        var written: [UInt8] = []
        for part in body.parts {
            written += Array("--\(boundary)\r\n".utf8)
            for header in part.headers { written += Array("\(header.key): \(header.value)\r\n".utf8) }
            written += Array("\r\n".utf8) + part.content + Array("\r\n".utf8)
        }
        written += Array("--\(boundary)--".utf8)
        let again = try? MultipartBody(written, boundary: boundary)
        try hold(again?.parts.map(\.content) == body.parts.map(\.content), "written again, the contents are the same")
        try hold(again?.parts.map(\.headers) == body.parts.map(\.headers), "written again, the headers are the same")
    }

    private static func contentType(_ text: String) throws(Broken) {
        guard let type = ContentType(text) else { return }
        try hold(type.media == type.media.lowercased() && type.media.contains("/"), "a media type is two words")
    }

    private static func installation(_ bytes: [UInt8]) throws(Broken) {
        guard let parsed = try? Installation(json: bytes) else { return }
        try readsBack(parsed)
    }

    private static func readsBack(_ installation: Installation) throws(Broken) {
        guard let written = try? installation.json(), let again = try? Installation(json: written) else {
            throw Broken(promise: "what is written is an installation")
        }
        try hold(again.installationId == installation.installationId, "the id is the same")
        try hold(again.tags == installation.tags, "the tags are the same")
        try hold(again.pushChannel == installation.pushChannel, "the channel is the same")
        try hold((try? again.json()) == written, "it is written the same again")
    }

    private static func patch(_ bytes: [UInt8]) throws(Broken) {
        let device = Installation("i", pushChannel: .handle("AB"), tags: ["a", "b"], templates: ["t": "{}"])
        guard let patch = try? InstallationPatch(body: bytes), let changed = try? patch.applied(to: device) else {
            return
        }
        try hold(changed.installationId == "i", "a patch does not change the id")
        guard (try? changed.check()) != nil else { return }
        try readsBack(changed)
    }

    private static func registration(_ bytes: [UInt8]) throws(Broken) {
        guard let body = try? RegistrationBody(xml: bytes), let made = try? body.registration(id: "i", version: 1)
        else {
            return
        }
        let size = made.tags.reduce(0) { $0 + $1.utf8.count } + (made.template?.body.utf8.count ?? 0)
        try hold(size <= bytes.count, "no entity makes more of it than was sent")
        try hold((try? made.channel.check(for: made.platform)) != nil, "its handle is one of its platform's")
    }

    private static func strings(_ bytes: [UInt8]) throws(Broken) {
        let file: StringsFile
        do throws(EmulatorError) {
            file = try StringsFile(json: bytes, file: "app.json")
        } catch {
            return try hold(error.description.hasPrefix("app.json: "), "an error names the file")
        }
        for (language, texts) in file.languages {
            for (key, format) in texts {
                let phone = PhoneTexts(strings: file, language: language)
                let filled = phone.text(of: LocalisedText(key: key, arguments: ["%s", "%1$s"]))
                try hold(filled == format.text(with: ["%s", "%1$s"]), "a phone finds the texts of its language")
                let again = try? FormatString(source(of: format))
                try hold(again == format, "a text is read as it is written")
                try hold(format.argumentCount <= FormatString.numberLimit * 50, "places are bounded by the text")
            }
        }
    }

    private static func categories(_ bytes: [UInt8]) throws(Broken) {
        let file: CategoriesFile
        do throws(EmulatorError) {
            file = try CategoriesFile(json: bytes, file: "app.json")
        } catch {
            return try hold(error.description.hasPrefix("app.json: "), "an error names the file")
        }
        for name in file.names {
            guard let buttons = file.buttons(of: name) else { throw Broken(promise: "a category is found by its name") }
            try hold(buttons.count <= CategoriesFile.buttonLimit, "it has at most ten buttons")
            try hold(Set(buttons.map(\.id)).count == buttons.count, "each button has an id of its own")
            try hold(buttons.allSatisfy { !$0.id.isEmpty && !$0.title.isEmpty }, "a button has an id and a title")
        }
    }

    private static func providerToken(_ text: String) throws(Broken) {
        let bearer = ProviderTokenClaims.text(of: "bearer \(text)")
        try hold(bearer == nil || bearer?.contains(" ") == false, "a token has no blank")
        guard let token = ProviderTokenClaims(text) else { return }
        try hold(token.issuedAt.isFinite, "its time is a number")
        try hold(text.utf8.starts(with: token.signed), "what is signed is the beginning of its text")
        try hold(token.signature.count <= text.utf8.count, "the signature is in the text")
    }

    private static func source(of format: FormatString) -> String {
        format.pieces.map { piece in
            switch piece {
            case .text(let text): text.replacing(scalars: "%", with: "%%")
            case .argument(_, let source): source
            }
        }.joined()
    }

    private static func condition(_ text: String) throws(Broken) {
        let condition: FCMCondition
        do throws(FCMCondition.Fault) {
            condition = try FCMCondition(text)
        } catch {
            return try hold((1...text.utf8.count + 1).contains(error.position), "the error is within the text")
        }
        try hold((1...FCMCondition.topicLimit).contains(condition.topics.count), "it has 1 to 5 topics")
        // Written with every parenthesis it is the same condition, unless that nests it deeper than is allowed.
        let again = try? FCMCondition(written(condition.root))
        let isDeep = text.utf8.count { "!(".utf8.contains($0) } > FCMCondition.depthLimit - 6
        try hold(again?.root == condition.root || again == nil && isDeep, "what is written parses to the same")
        for topic in [nil] + condition.topics.map(Optional.some) {
            let matches = condition.matches { $0 == topic }
            try hold(again.map { $0.matches { $0 == topic } == matches } ?? true, "it means the same")
        }
    }

    private static func written(_ node: FCMCondition.Node) -> String {
        switch node {
        case .topic(let name): "'\(name)' in topics"
        case .not(let node): "!" + operand(node)
        case .and(let left, let right): operand(left) + " && " + operand(right)
        case .or(let left, let right): operand(left) + " || " + operand(right)
        }
    }

    private static func operand(_ node: FCMCondition.Node) -> String {
        switch node {
        case .topic, .not: written(node)
        case .and, .or: "(\(written(node)))"
        }
    }
}
