import Testing

@testable import HubEmulator

/// `--categories`: what is read, and what is wrong with what is not.
@Suite struct CategoriesFileTests {
    static let invitation = #"""
        {"INVITE_CATEGORY": [{"id": "accept", "title": "Accept", "options": ["foreground"]},
            {"id": "decline", "title": "Decline", "options": ["destructive"]}]}
        """#

    static func read(_ json: String) throws(EmulatorError) -> CategoriesFile {
        try CategoriesFile(json: Array(json.utf8), file: "categories.json")
    }

    @Test func buttonsAreRead() throws {
        let file = try Self.read(Self.invitation)
        #expect(
            file.buttons(of: "INVITE_CATEGORY") == [
                NotificationButton(id: "accept", title: "Accept", options: [.foreground]),
                NotificationButton(id: "decline", title: "Decline", options: [.destructive]),
            ])
        #expect(file.buttons(of: "invite_category") == nil)
        let texts = try Self.read(
            #"""
            \#u{FEFF}{"A": [{"id": "1", "title": "R", "textInput": true},
                {"id": "2", "title": "R", "textInput": {"buttonTitle": "Send", "placeholder": "Write"},
                 "options": ["authenticationRequired", "authenticationRequired"]},
                {"id": "3", "title": "R", "textInput": false, "options": []}], "B": []}
            """#)
        #expect(texts.names == ["A", "B"] && texts.buttons(of: "B") == [])
        let buttons = try #require(texts.buttons(of: "A"))
        #expect(buttons[0].textInput == .init() && buttons[2].textInput == nil)
        #expect(buttons[1].textInput == .init(buttonTitle: "Send", placeholder: "Write"))
        #expect(buttons[1].options == [.authenticationRequired])
    }

    @Test(arguments: [
        ("[]", "it is no JSON object of categories, such as {\"INVITE_CATEGORY\""),
        ("{", "line 1, column 2"), ("{\n\"A\": 1}", "\"A\": it is no list of buttons, such as"),
        ("{\n\"A\": 1}", "(line 2)"), (#"{"A": [1]}"#, "\"A\": button 1: it is no object, such as"),
        (#"{"A": [{"id": "a"}]}"#, "button 1: title is missing"), (#"{"A": [{"title": "a"}]}"#, "id is missing"),
        (#"{"A": [{"id": "", "title": "a"}]}"#, "id has 1 to 256 bytes"),
        (#"{"A": [{"id": 7, "title": "a"}]}"#, "id is no string"),
        (#"{"A": [{"id": "a", "titel": "a"}]}"#, "did you mean title?"),
        (#"{"A": [{"id": "a", "title": "a", "options": "foreground"}]}"#, "options is no list of foreground"),
        (#"{"A": [{"id": "a", "title": "a", "options": ["forground"]}]}"#, "did you mean foreground?"),
        (#"{"A": [{"id": "a", "title": "a", "options": [1]}]}"#, "is none of foreground, destructive"),
        (#"{"A": [{"id": "a", "title": "a", "textInput": "x"}]}"#, "textInput is true, or {\"buttonTitle\""),
        (#"{"A": [{"id": "a", "title": "a", "textInput": {"hint": "x"}}]}"#, "is none of buttonTitle, placeholder"),
        (#"{"A": [{"id": "a", "title": "a"}, {"id": "a", "title": "b"}]}"#, "button 2: the id \"a\" stands twice"),
        (#"{"A": [], "A": []}"#, "\"A\": the category stands twice"), (#"{"": []}"#, "the name of a category has 1"),
    ])
    func whatIsWrongIsNamed(json: String, says: String) {
        do {
            _ = try Self.read(json)
            Issue.record("\(json) was read")
        } catch {
            #expect(error.description.hasPrefix("categories.json: ") && error.description.contains(says), "\(error)")
        }
    }

    @Test func aCategoryHasTenButtonsAtMost() {
        func button(_ number: Int) -> String { #"{"id": "\#(number)", "title": "T"}"# }
        #expect(throws: EmulatorError.self) {
            try Self.read("{\"A\": [\((1...11).map(button).joined(separator: ","))]}")
        }
    }
}
