import HTTPTypes
import PushModel

/// The cookie of a console, as a browser keeps it: its name and its attributes (RFC 6265bis).
struct ConsoleCookie: Sendable, Equatable {
    /// Without the prefix that promises something about its attributes.
    var baseName = "fanfare-console"
    /// Where the console is; empty: everywhere at its host.
    var basePath: String
    /// The browser's side of the way is encrypted.
    var isSecure: Bool

    /// A browser lets neither another path nor another host of the domain set a name with `__Host-`, but then the path
    /// is `/`. Below a base path it is `__Secure-`: a page of the same host without TLS cannot set that.
    var name: String {
        guard isSecure else { return baseName }
        return (basePath.isEmpty ? "__Host-" : "__Secure-") + baseName
    }

    /// `Set-Cookie`.
    ///
    /// - Parameter seconds: nil: until the browser is closed.
    func setting(_ value: String, seconds: Int?) -> String {
        let age = seconds.map { "; Max-Age=\($0)" } ?? ""
        let path = basePath.isEmpty ? "/" : basePath
        // Lax, so that a link that somebody shares opens.
        return "\(name)=\(value); Path=\(path)\(age); HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }

    var removing: String { setting("", seconds: 0) }

    /// Every value that a request has under the name. A browser sends several when they were set for several paths, and
    /// does not say which is whose.
    func values(in fields: HTTPFields) -> [Substring] {
        fields[values: .cookie].flatMap { $0.split(scalar: ";") }.compactMap { pair in
            let sides = pair.split(scalar: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, sides[0].drop(while: { $0 == " " }) == name else { return nil }
            return sides[1]
        }
    }
}
