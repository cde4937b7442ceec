import PushModel

@testable import Console

/// Specs of campaigns as people, programs and enemies write them, and forms.
struct RandomSpec {
    var random: SeededRandom

    static let texts = [
        "", " ", "en", "fr-CA", "title", "a\nb", "\na", "a\r\nb", "é", "e\u{301}", "true", "5", "1e3", "\"x\"", "{}",
        "[1]", "null",
        "audience", "a+b&c=d%41;", "30 min", "Europe/Berlin", "{{name|friend}}", "<toast>&amp;</toast>", "\u{0}x",
        "\u{202E}abc",
        "𝄞👩‍👩‍👧", " padded ", "template", "apple", "windows", LookFixture.evil, "</textarea>", "\\", "\t", "\u{85}",
    ]
    static let numbers = ["0", "1", "-0", "2000", "0.010", "1e5", "1E-3", "12345678901234567890.50", "-7"]

    private mutating func flip(_ of: Int = 2) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }
    private mutating func text() -> String { Self.texts.randomElement(using: &random) ?? "" }
    private mutating func string() -> String { SpecText.string(text()) }

    mutating func json(_ depth: Int = 0) -> String {
        switch Int.random(in: 0..<(depth > 2 ? 4 : 6), using: &random) {
        case 0: return string()
        case 1: return Self.numbers.randomElement(using: &random) ?? "0"
        case 2: return ["true", "false", "null"].randomElement(using: &random) ?? "null"
        case 3: return "\"a\\u00e9\\/\""
        case 4:
            return "["
                + (0..<Int.random(in: 0..<4, using: &random)).map { _ in json(depth + 1) }.joined(separator: " ,\n")
                + "]"
        default: return object((0..<Int.random(in: 0..<4, using: &random)).map { _ in (text(), json(depth + 1)) })
        }
    }

    private func object(_ members: [(String, String)]) -> String {
        "{ " + members.map { "\(SpecText.string($0.0)) : \($0.1)" }.joined(separator: ",\t") + " }"
    }

    private mutating func value(_ kind: CampaignField.Kind) -> String {
        if flip(5) { return json(2) }
        switch kind {
        case .text: return string()
        case .number: return Self.numbers.randomElement(using: &random) ?? "0"
        case .flag: return flip() ? "true" : "false"
        case .lines, .zones: return "[" + (0..<3).map { _ in string() }.joined(separator: ",") + "]"
        case .handles: return object([("list", string())])
        }
    }

    private mutating func member(_ name: String) -> String {
        switch name {
        case _ where flip(6): return json()
        case "hubs": return "[\"news\", \(string())]"
        case "content":
            return object((0..<3).map { _ in (text(), object((0..<2).map { _ in (text(), string()) })) })
        case "headers": return object([(text(), string())])
        case "schedule": return string()
        default:
            let fields = CampaignField.all(of: name)
            guard let first = fields.first, first.inner != nil else { return value(fields.first?.kind ?? .text) }
            let some = fields.filter { _ in flip() }
            return object(some.map { ($0.inner ?? "", value($0.kind)) } + (flip(8) ? [("more", json())] : []))
        }
    }

    mutating func spec() -> String {
        var names = CampaignForm.members.filter { _ in flip() }
        if flip() { names += ["unknown", text() + "!"] }
        names.shuffle(using: &random)
        return object(names.map { ($0, member($0)) })
    }

    /// As browsers send one: what is in it can be typed.
    mutating func form() -> CampaignForm {
        var form = CampaignForm()
        let lines = Self.texts.filter(FieldText.isLine)
        func line(_ random: inout SeededRandom) -> String { lines.randomElement(using: &random) ?? "x" }
        let typed = Self.texts.filter { FieldText.isKept($0) }
        if flip() { form.hubs = Array(Set((0..<3).map { _ in line(&random) })) }
        for field in CampaignField.allCases where flip(3) {
            form.fields[field] = FieldText.cleaned(line(&random) + (flip() ? "\n" + line(&random) : ""), field.kind)
            if form.fields[field]?.contains(where: \.isNewline) == true, field.kind != .lines, field.kind != .zones {
                form.fields[field] = line(&random)
            }
        }
        func row(_ random: inout SeededRandom) -> CampaignForm.Row {
            CampaignForm.Row(name: line(&random), text: typed.randomElement(using: &random) ?? "")
        }
        for _ in 0..<Int.random(in: 0..<4, using: &random) {
            var language = CampaignForm.Language(locale: flip(4) ? "" : line(&random))
            if form.isNative {
                // As it is shown again.
                let json = try? SpecText(json())
                let payload = json.map { $0.root.text == nil ? $0.pretty($0.root) : "<x/>" } ?? ""
                language.payload = FieldText.isKept(payload) ? payload : "<x/>"
            } else {
                language.rows = (0..<2).map { _ in row(&random) }
            }
            form.languages.append(language)
        }
        if flip() { form.headers = [row(&random)] }
        if flip() {
            form.kept = [CampaignForm.Kept(name: "schedule", json: "{\"cron\":\"0 9 * * *\",\"zone\":\"UTC\"}")]
        }
        return form
    }
}
