import COpenSSL

/// The OpenSSL this process runs with, for people who ask what is installed.
public enum OpenSSL {
    /// Such as `3.0.17`.
    public static var version: String { String(cString: OpenSSL_version(OPENSSL_VERSION_STRING)) }
}
