import Testing

@testable import HubEmulator

@Suite struct DeviceLanguageTests {
    private func language(_ tags: [String], _ template: String = "{}") -> DeviceLanguage? {
        DeviceLanguage(
            of: Installation("a", pushChannel: .handle("AB"), tags: tags, templates: ["t": template]))
    }

    @Test(arguments: [
        ("lang:fr", "fr", "fr"), ("locale:fr-FR", "fr-FR", "fr-FR"), ("language_zh_Hans", "zh_Hans", "zh-Hans"),
        ("pt-BR", "pt-BR", "pt-BR"), ("lang:Klingonese", "Klingonese", nil),
    ])
    func aTagNamesTheLanguage(tag: String, word: String, code: String?) {
        #expect(language(["World", tag])?.word == word)
        #expect(language(["World", tag])?.code == code)
    }

    @Test(arguments: ["fr", "World", "lang:", "langfr", "user-AB", "to-do", "lang_1", "lang:42", "locale-1a", "lang:f"])
    func otherTagsDoNotNameALanguage(tag: String) { #expect(language([tag]) == nil) }

    @Test func templatePropertiesNameTheLanguage() {
        #expect(language([], #"{"aps":{"alert":"$(News_French)"}}"#)?.code == "fr")
        #expect(language([], #"{"aps":{"alert":{"title":"$(title_fr)"}}}"#)?.text == "French · fr")
        #expect(language([], #"{"aps":{"alert":"$(News_Mandarin)"}}"#)?.code == "zh")
        #expect(language([], #"{"aps":{"alert":"$(news_text)"}}"#) == nil)
    }
}
