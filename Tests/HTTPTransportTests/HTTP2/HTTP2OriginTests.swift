import Testing

@testable import HTTPTransport

@Suite struct HTTP2OriginTests {
    private static func origins() -> HTTP2Origins { HTTP2Origins(KnownURLs(TransportSettings())) }

    @Test func aHundredThousandPathsHaveOneOrigin() throws {
        let origins = Self.origins()
        let first = try origins.locate("https://push.example:2197/3/device/0").origin
        for number in 1...100_000 {
            let url = "https://push.example:2197/3/device/\(number)"
            let (origin, path) = try origins.locate(url)
            #expect(origin === first && url.utf8.dropFirst(path).elementsEqual("/3/device/\(number)".utf8))
        }
        #expect(String(decoding: first.authority, as: UTF8.self) == "push.example:2197")
        #expect(String(decoding: first.scheme, as: UTF8.self) == "https")
        #expect(first.target.url == "https://push.example:2197/")
    }

    @Test func anotherHostPortOrSchemeIsAnotherOrigin() throws {
        let origins = Self.origins()
        let urls = [
            "https://push.example/", "https://push.example:2197/", "https://push.example.evil/", "https://push.exampl/",
            "http://127.0.0.1:80/", "http://[::1]:80/",
        ]
        let found = try urls.map { try origins.locate($0).origin }
        #expect(Set(found.map(ObjectIdentifier.init)).count == urls.count)
        for (url, origin) in zip(urls, found) { #expect(try origins.locate(url + "x").origin === origin) }
    }

    @Test func aURLWithoutAPathIsTheRoot() throws {
        let (_, path) = try Self.origins().locate("https://push.example")
        #expect(path == "https://push.example".utf8.count)
    }

    @Test(arguments: [
        "https://push.example/a b", "https://push.example/a\r\nx", "https://push.example/a\u{0}",
        "https://push.example/ä",
        "https://push.example/#part", "https://push.example?x=1", "https://push.example#x",
        "https://user@push.example/",
        "https://user:word@push.example/", "https://push.example\\@evil/", "https:///x", "https://", "push.example/x",
        "ftp://push.example/", "http://push.example/", "http://127.0.0.1.evil/", "https://push.example:99999/",
        "https://push.example:x/", "HTTPS://push.example/", "",
    ])
    func whatTwoParsersMightReadInTwoWaysIsRefused(url: String) throws {
        let origins = Self.origins()
        // Also after an origin that it resembles.
        for before in [nil, "https://push.example/"] {
            if let before { _ = try origins.locate(before) }
            do {
                _ = try origins.locate(url)
                Issue.record("\(url) was taken")
            } catch {
                #expect(!error.text.contains("push.example"))
            }
        }
    }
}
