import COpenSSL

/// The OpenSSL that this process runs with, for `fanfare doctor`.
public enum OpenSSL {
    /// Such as `3.0.17`.
    public static var version: String { String(cString: OpenSSL_version(OPENSSL_VERSION_STRING)) }
}
