import Pages
import Signing
import Store

@testable import Console

/// Pages of forms of campaigns, without a database.
enum WriteFixture {
    static let visit = Visit(
        person: Person("Ann", rights: [.campaigns]), options: ConsoleOptions(), now: LookFixture.now)

    static func state(_ post: WritePost = WritePost(), campaign: String? = nil) -> WriteState {
        WriteState(
            campaign: campaign, post: post,
            choices: WriteChoices(
                hubs: .read(["news", LookFixture.evil]), lists: .read(["beta", LookFixture.evil]),
                views: .read([Audiences.View(name: "marketing.lapsed", columns: ["key", "tag"])])))
    }

    static func page(_ state: WriteState, _ visit: Visit = visit) -> String {
        ConsoleTemplates.page(CampaignWritePage.content(of: state, for: visit), at: .campaigns, for: visit)
    }
}

/// Reads the form of a page as a browser does, and sends it.
enum FilledForm {
    static func fields(of page: String, pressing button: String? = nil) -> FormFields {
        FormFields(body(of: page, pressing: button)[...])
    }

    /// - Parameters:
    ///   - button: what `do` says; nil: no button.
    ///   - typed: what stands in fields by their names, in place of what was there.
    static func body(of page: String, pressing button: String? = nil, typing typed: [String: String] = [:]) -> String {
        var pairs: [(String, String)] = []
        func add(_ name: String?, _ value: String) { if let name { pairs.append((name, typed[name] ?? value)) } }
        var rest = page[...]
        while let open = rest.firstMatch(of: /<(input|textarea|select) ([^>]*)>/) {
            let attributes = String(open.2)
            let name = value("name", attributes)
            rest = rest[open.range.upperBound...]
            switch open.1 {
            case "input":
                guard !attributes.contains("type=\"checkbox\"") || attributes.contains(" checked") else { break }
                add(
                    name,
                    (value("value", attributes) ?? "").replacing(/[\r\n]/.matchingSemantics(.unicodeScalar), with: ""))
            case "textarea":
                guard let end = rest.firstRange(of: "</textarea>") else { break }
                var text = plain(String(rest[..<end.lowerBound]))
                if text.unicodeScalars.first == "\n" { text = String(text.unicodeScalars.dropFirst()) }
                add(name, text.replacing(scalars: "\n", with: "\r\n"))
                rest = rest[end.upperBound...]
            default:
                guard let end = rest.firstRange(of: "</select>") else { break }
                let options = String(rest[..<end.lowerBound])
                if let chosen = options.firstMatch(of: /<option value="([^"]*)" selected>/) {
                    add(name, plain(String(chosen.1)))
                }
                rest = rest[end.upperBound...]
            }
        }
        if let button { pairs.append(("do", button)) }
        return pairs.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
    }

    private static func value(_ name: String, _ attributes: String) -> String? {
        guard let start = (" " + attributes).firstRange(of: " \(name)=\"") else { return nil }
        return plain(String((" " + attributes)[start.upperBound...].prefix { $0 != "\"" }))
    }

    private static func plain(_ html: String) -> String {
        html.replacing(scalars: "&lt;", with: "<").replacing(scalars: "&gt;", with: ">")
            .replacing(scalars: "&quot;", with: "\"").replacing(scalars: "&#39;", with: "'")
            .replacing(scalars: "&amp;", with: "&")
    }
}
