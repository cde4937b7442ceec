import HTTPServer
import HTTPTypes

extension Response {
    /// A page, or a file that pages need: never kept by a browser, and closed to other sites.
    ///
    /// - Parameters:
    ///   - type: the media type; the text is UTF-8.
    ///   - policy: see `ContentPolicy`.
    package static func page(
        _ text: String, as type: String = "text/html", status: Int = 200, policy: ContentPolicy = .own
    ) -> Response {
        var response = Response(
            status: status, headers: [.contentType: "\(type); charset=utf-8", .cacheControl: "no-store"],
            body: Array(text.utf8))
        response.headers[.contentSecurityPolicy] = policy.text
        // With "no-referrer" browsers send our own forms with `Origin: null`, which is refused.
        response.headers[.referrerPolicy] = "same-origin"
        response.headers[.xContentTypeOptions] = "nosniff"
        // A window of another site that opened this one gets no hold of it.
        response.headers[.crossOriginOpenerPolicy] = "same-origin"
        response.headers[.xRobotsTag] = "noindex"
        return response
    }
}

/// What a page may load and who may show it (Content-Security-Policy): no external resources, no inline script or style, no
/// embedding in frames.
package struct ContentPolicy: Sendable, Equatable {
    package let text: String

    private init(images: String) {
        text =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src \(images); connect-src 'self'; "
            + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    }

    package static let own = ContentPolicy(images: "'self'")
    /// Pictures may stand in the page itself, too.
    package static let ownOrInlineImages = ContentPolicy(images: "'self' data:")
}

extension HTTPField.Name {
    // The names are tokens, so the forced unwraps hold.
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
    static let xRobotsTag = HTTPField.Name("X-Robots-Tag")!
}
