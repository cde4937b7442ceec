import Testing

@testable import Console

@Suite struct LocalPathTests {
    @Test(arguments: [
        "/", "/hubs/shop", "/messages?status=a&x=%2F%2Fevil", "/runs/a%2Fb?live=10", "/a//b", "/%5Cevil.example",
    ])
    func anAddressOfTheConsoleIsKept(path: String) { #expect(LocalPath.checked(path, below: "") == path) }

    @Test(arguments: [
        nil, "", "hubs", "//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example", "/\t/evil.example",
        "/\n/evil.example", "/ /evil", "https://evil.example/", "javascript:alert(1)", "/é", "/%ff", "/a/../../b",
        "/%2e%2e/b", "/./b", "/sign-in", "/sign-in?to=/sign-in", "/sign-out", "/\u{0}", "/a\r\nSet-Cookie:x=y",
    ])
    func anythingElseIsNot(path: String?) { #expect(LocalPath.checked(path, below: "") == nil) }

    @Test func anAddressBesideTheConsoleIsNot() {
        #expect(LocalPath.checked("/pushes/hubs", below: "/pushes") == "/pushes/hubs")
        #expect(LocalPath.checked("/pushes", below: "/pushes") == "/pushes")
        for path in ["/hubs", "/pushesevil", "/", "/pushes/../admin", "/pushes/sign-in"] {
            #expect(LocalPath.checked(path, below: "/pushes") == nil, "\(path)")
        }
    }

    @Test func anAddressThatIsTooLongIsNot() {
        #expect(LocalPath.checked("/" + String(repeating: "a", count: LocalPath.limit), below: "") == nil)
    }
}
