import CLibcurl
import Glibc

/// What libcurl needs once per process.
enum LibCurl {
    /// libcurl's global state, set up when the first client starts.
    private static let initialised = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    static func initialise() throws(TransportError) {
        guard initialised == CURLE_OK else {
            throw TransportError(
                doing: "cannot initialise libcurl", code: Int32(initialised.rawValue), text: text(initialised))
        }
        // OpenSSL writes with write(2), which raises SIGPIPE when the peer has closed; by default that ends the
        // process. A handler that is set already stays.
        var current = sigaction()
        if sigaction(SIGPIPE, nil, &current) == 0, current.__sigaction_handler.sa_handler == nil {
            signal(SIGPIPE, SIG_IGN)
        }
    }

    /// The file of trusted certificates that libcurl was built with.
    static var defaultCABundle: String? {
        fanfare_default_ca_bundle().map { String(cString: $0) }
    }

    static func text(_ code: CURLcode) -> String {
        String(cString: curl_easy_strerror(code))
    }
}

extension String {
    /// One line of visible characters, for a text of which parts may have come from a server.
    var asciiLine: String {
        let line = unicodeScalars.prefix(240).map { $0.isASCII && $0.value >= 0x20 && $0.value < 0x7F ? $0 : "?" }
        return String(String.UnicodeScalarView(line))
    }
}
