import Glibc

/// A file of trusted certificates in PEM form.
enum CertificateFile {
    /// What is wrong with it, to follow the name of its key; nil: it can be read and holds a certificate. Whether that is a
    /// good one shows at the first hub.
    static func fault(of path: String) -> String? {
        guard let file = fopen(path, "re") else { return "cannot be read: \(String(cString: strerror(errno)))" }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            // Also in OpenSSL's own form, "TRUSTED CERTIFICATE".
            if strncmp(line, "-----BEGIN ", 11) == 0, strstr(line, "CERTIFICATE-----") != nil { return nil }
        }
        return "holds no certificate in PEM form"
    }
}
