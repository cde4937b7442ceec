import CLibcurl

/// The libcurl this process runs with.
public struct LibCurlFacts: Sendable, Equatable {
    /// Such as `7.88.1`.
    public var version: String
    /// The TLS library it was built with, such as `OpenSSL/3.0.17`.
    public var tls: String
    /// The file of trusted certificates it was built with; nil: no file.
    public var caBundle: String?
    /// It looks names up without blocking the event loop.
    public var resolvesInBackground: Bool

    public static var current: LibCurlFacts {
        guard let info = fanfare_version_info()?.pointee else {
            return LibCurlFacts(version: "unknown", tls: "none", caBundle: nil, resolvesInBackground: false)
        }
        return LibCurlFacts(
            version: String(cString: info.version), tls: info.ssl_version.map { String(cString: $0) } ?? "none",
            caBundle: LibCurl.defaultCABundle, resolvesInBackground: info.features & CURL_VERSION_ASYNCHDNS != 0)
    }
}
