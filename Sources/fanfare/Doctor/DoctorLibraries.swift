import PushModel
import Glibc
import HTTPTransport
import Postgres
import Signing
import Store

/// The libraries this process runs with, and the settings as they were read. Pure but for a look at the certificates.
enum DoctorLibraries {
    /// libcurl has the guard against a silent resend since then (CURLOPT_PREREQFUNCTION; docs/wire/libcurl.md).
    static let oldestCurl = "7.80.0"

    /// - Parameter caFile: `transport.caFile`; empty: libcurl's own.
    static func findings(caFile: String) -> [Finding] {
        let area = "libraries"
        let curl = LibCurlFacts.current
        return [
            .ok(area, "fanfare", fanfareVersion),
            .ok(area, "libpq", LibPQ.version),
            curl.version.compare(versionTo: oldestCurl) < 0
                ? .fail(
                    area, "libcurl", "\(curl.version), \(curl.tls)",
                    remedy: "Install libcurl \(oldestCurl) or newer: an older one may send a request twice in silence.")
                : .ok(area, "libcurl", "\(curl.version), \(curl.tls)"),
            curl.resolvesInBackground
                ? .ok(area, "name resolution", "does not block")
                : .warn(
                    area, "name resolution", "libcurl was built without a threaded resolver",
                    remedy: "Use Debian's libcurl: looking up a name stops all posts meanwhile."),
            certificates(caFile.isEmpty ? curl.caBundle : caFile, isOurs: !caFile.isEmpty),
            .ok(area, "OpenSSL", OpenSSL.version),
        ]
    }

    private static func certificates(_ bundle: String?, isOurs: Bool) -> Finding {
        let name = "trusted certificates"
        guard let bundle else {
            return .fail(
                "libraries", name, "libcurl names no file of them",
                remedy: "Install ca-certificates and Debian's libcurl.")
        }
        guard access(bundle, R_OK) == 0 else {
            return .fail(
                "libraries", name, "\(bundle) cannot be read: \(String(cString: strerror(errno)))",
                remedy: isOurs
                    ? "Correct transport.caFile, or leave it out for the system's certificates."
                    : "Install ca-certificates; without it no hub can prove who it is.")
        }
        return .ok("libraries", name, bundle)
    }
}

extension String {
    /// Compares dotted numbers: negative when this one is older, 0 when they are the same.
    func compare(versionTo other: String) -> Int {
        let pairs = [self, other].map { $0.split(separator: ".").map { Int($0.prefix(while: \.isNumber)) ?? 0 } }
        for index in 0..<max(pairs[0].count, pairs[1].count) {
            let here = index < pairs[0].count ? pairs[0][index] : 0
            let there = index < pairs[1].count ? pairs[1][index] : 0
            if here != there { return here - there }
        }
        return 0
    }
}
