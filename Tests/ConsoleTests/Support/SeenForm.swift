import HTTPServer
import HTTPTypes
import Testing

@testable import Console

/// A form of a page as a browser has it: where it is sent, and what its hidden fields send.
struct SeenForm {
    let address: String
    var fields: [(name: String, value: String)]
    /// Its HTML.
    let text: String

    /// Those of a page that lead to actions, in their order.
    static func all(in page: String) -> [SeenForm] {
        page.matches(of: /<form[^>]*method="post" action="([^"]*)">(.*?)<\/form>/.dotMatchesNewlines()).map { form in
            let hidden = form.2.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/)
            return SeenForm(
                address: plain(form.1), fields: hidden.map { (plain($0.1), plain($0.2)) }, text: String(form.2))
        }.filter { $0.address.contains("/act/") }
    }

    private static func plain(_ html: Substring) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")].reduce(String(html)) {
            $0.replacing($1.0, with: $1.1)
        }
    }
}

/// The question that an action asks first.
struct SeenQuestion {
    let status: Int
    let page: String
    /// nil: there is nothing to confirm.
    let form: SeenForm?

    init(_ response: Response?) throws {
        let response = try #require(response)
        status = response.status
        page = String(decoding: response.body, as: UTF8.self)
        form = SeenForm.all(in: page).first { $0.fields.contains { $0.name == "confirmation" } }
    }
}

extension TestConsole {
    /// Presses a button that leads to a question.
    ///
    /// - Parameter choice: sent with the button; nil: nothing is.
    func press(_ form: SeenForm, _ choice: (name: String, value: String)? = nil) async throws -> SeenQuestion {
        try await ask(form.address, fields: form.fields + (choice.map { [$0] } ?? []))
    }

    /// Asks for the question of an action.
    func ask(_ address: String, fields: [(name: String, value: String)]) async throws -> SeenQuestion {
        try SeenQuestion(try await post(address, fields: fields))
    }

    /// Confirms a question.
    ///
    /// - Parameter typed: what the person types; nil: nothing.
    func confirm(_ question: SeenQuestion, typed: String? = nil) async throws -> Response? {
        let form = try #require(question.form, "there is nothing to confirm: \(question.page)")
        let fields = form.fields + (typed.map { [("typed", $0)] } ?? [])
        return try await post(form.address, fields: fields)
    }

    /// Confirms a question, and waits until the action is over.
    func carryOut(_ question: SeenQuestion, typed: String? = nil) async throws -> ActionRecord {
        let response = try await confirm(question, typed: typed)
        try #require(response?.status == 303, "\(String(decoding: response?.body ?? [], as: UTF8.self))")
        let id = String(try #require(response?.headers[.location]?.split(separator: "/").last))
        return try await desk.ended(id)
    }
}

extension ActionDesk {
    /// Waits until an action is over.
    func ended(_ id: String) async throws -> ActionRecord {
        await waitForEnd(of: id, atMost: 600)
        let known = record(id)
        let record = try #require(known)
        try #require(record.isOver, "\(record)")
        return record
    }
}
