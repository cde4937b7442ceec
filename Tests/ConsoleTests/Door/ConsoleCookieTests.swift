import HTTPTypes
import Testing

@testable import Console

@Suite struct ConsoleCookieTests {
    private let cookie = ConsoleCookie(basePath: "", isSecure: false)

    @Test(arguments: [
        ("", false, "fanfare-console=v; Path=/; Max-Age=60; HttpOnly; SameSite=Lax"),
        ("/pushes", false, "fanfare-console=v; Path=/pushes; Max-Age=60; HttpOnly; SameSite=Lax"),
        ("", true, "__Host-fanfare-console=v; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure"),
        ("/pushes", true, "__Secure-fanfare-console=v; Path=/pushes; Max-Age=60; HttpOnly; SameSite=Lax; Secure"),
    ])
    func aCookieStaysWhereItBelongs(basePath: String, isSecure: Bool, text: String) {
        #expect(ConsoleCookie(basePath: basePath, isSecure: isSecure).setting("v", seconds: 60) == text)
    }

    @Test func aCookieOfTheBrowsersSessionHasNoAge() {
        #expect(cookie.setting("v", seconds: nil) == "fanfare-console=v; Path=/; HttpOnly; SameSite=Lax")
        #expect(cookie.removing.hasPrefix("fanfare-console=; Path=/; Max-Age=0;"))
    }

    @Test(
        arguments: [
            ([], []), (["fanfare-console=a"], ["a"]), (["x=1; fanfare-console=a; y=2"], ["a"]),
            (["fanfare-console=a; fanfare-console=b", "fanfare-console=c"], ["a", "b", "c"]),
            ([";;; =; ==;fanfare-console;fanfare-console=a=b;"], ["a=b"]), (["x=1;fanfare-console=a"], ["a"]),
            (["fanfare-console=\"a\""], ["\"a\""]), (["Fanfare-Console=a; xfanfare-console=a; fanfare-consolex=a"], []),
            (["__Host-fanfare-console=a; __Secure-fanfare-console=b"], []),
            // A mark that belongs to the sign before it hides no separator.
            (["x=1;\u{301}fanfare-console=a; y=2;fanfare-console=b"], ["b"]), (["\u{0}\u{1}é"], []),
        ] as [([String], [String])])
    func itIsFoundAmongOthers(fields: [String], values: [String]) {
        var headers = HTTPFields()
        for value in fields { headers.append(HTTPField(name: .cookie, value: value)) }
        #expect(cookie.values(in: headers).map(String.init) == values)
    }

    @Test func aHeaderFullOfCookiesIsRead() {
        let others = (0..<1_000).map { "other\($0)=1234" }.joined(separator: "; ")
        #expect(cookie.values(in: [.cookie: others + "; fanfare-console=a"]) == ["a"])
        let many = Array(repeating: "fanfare-console=x", count: 800).joined(separator: ";")
        #expect(cookie.values(in: [.cookie: many]).count == 800)
    }
}
