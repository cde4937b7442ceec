import HTTPServer
import HTTPTypes
import Pages
import Testing

@Suite struct ResponsePageTests {
    @Test func aPageLoadsNothingOfOthersAndIsNotKept() throws {
        let page = Response.page("<p>é</p>", status: 404)
        #expect(page.status == 404 && page.body == Array("<p>é</p>".utf8))
        #expect(page.headers[.contentType] == "text/html; charset=utf-8")
        #expect(page.headers[.cacheControl] == "no-store")
        for (name, value) in [
            ("Referrer-Policy", "same-origin"), ("X-Content-Type-Options", "nosniff"),
            ("Cross-Origin-Opener-Policy", "same-origin"), ("X-Robots-Tag", "noindex"),
        ] {
            #expect(page.headers[try #require(HTTPField.Name(name))] == value)
        }
        #expect(
            page.headers[.contentSecurityPolicy]
                == "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
    }

    @Test func onlyTheOtherPolicyTakesPicturesInThePage() {
        #expect(!ContentPolicy.own.text.contains("data:"))
        #expect(
            ContentPolicy.ownOrInlineImages.text.replacing(" data:", with: "") == ContentPolicy.own.text
                && ContentPolicy.ownOrInlineImages != .own)
    }
}
