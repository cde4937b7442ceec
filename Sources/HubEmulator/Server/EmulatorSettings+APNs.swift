import PushModel
import Signing

extension EmulatorSettings {
    /// A sender of the Apple Push Notification service: an app, and the keys that may send to it. Its phones, inboxes and
    /// journal are those of a hub of its name. It is served over HTTP/2, so `EmulatorSettings.tls` has to be on.
    public struct APNsSender: Sendable {
        /// As a hub's; unlike every hub's and every other sender's.
        public var name: String
        /// The id of the app's bundle.
        public var topic: String
        /// The issuer of provider tokens: 10 capitals and digits.
        public var teamID: String
        /// Which of Apple's two services its phones belong to.
        public var environment: APNsEnvironment
        /// At least one. Faults know the first as the primary one.
        public var keys: [Key]
        /// Whether a client may also prove with a certificate who it is (`HubEmulator.apnsCertificate`). Every client on the port for
        /// TLS is then asked for one, and may have none.
        public var hasCertificate = false

        /// - Parameters:
        ///   - topic: default: `com.example.` and the name.
        ///   - keys: default: a new one.
        public init(
            _ name: String, topic: String? = nil, teamID: String = "EMULATOR00",
            environment: APNsEnvironment = .production, keys: [Key] = [Key()]
        ) {
            self.name = name
            self.topic = topic ?? "com.example.\(name)"
            self.teamID = teamID
            self.environment = environment
            self.keys = keys
        }
    }
}

extension EmulatorSettings.APNsSender {
    /// A key that signs provider tokens.
    public struct Key: Sendable {
        /// `kid` of its tokens: 10 capitals and digits.
        public let id: String
        let keys: P256KeyPair

        /// A new key.
        ///
        /// - Parameter id: default: made from the key.
        public init(id: String? = nil) {
            keys = P256KeyPair.generate()
            self.id = id ?? Self.id(of: keys.publicKey)
        }

        /// The key of a .p8 file.
        ///
        /// - Parameter id: default: made from the key, so that it stays the same.
        /// - Throws: `EmulatorError` for what is no P-256 key without a passphrase.
        public init(p8: Secret, id: String? = nil) throws(EmulatorError) {
            guard let keys = P256KeyPair(privateKey: p8) else {
                throw EmulatorError("it is no P-256 key in PEM without a passphrase, as a .p8 file is")
            }
            self.keys = keys
            self.id = id ?? Self.id(of: keys.publicKey)
        }

        /// The content of its .p8 file.
        public var p8: Secret { keys.privateKey }

        /// A new provider token.
        ///
        /// - Parameter issuedAt: seconds since 1970.
        func token(team: String, issuedAt: Int) -> String {
            let header = Base64.encodeURL(Array(#"{"alg":"ES256","kid":"\#(id)"}"#.utf8))
            let claims = Base64.encodeURL(Array(#"{"iss":"\#(team)","iat":\#(issuedAt)}"#.utf8))
            // Fails only without memory; the token then has no signature and is refused.
            let signature = keys.signature(of: Array("\(header).\(claims)".utf8)) ?? []
            return "\(header).\(claims).\(Base64.encodeURL(signature))"
        }

        /// Ten letters and digits from the public point, which ends the PEM's content.
        private static func id(of publicKey: String) -> String {
            let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
            let body = publicKey.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
            let point = (Base64.decode(body) ?? []).suffix(10)
            return String(decoding: point.map { alphabet[Int($0 & 31)] }, as: UTF8.self)
        }
    }
}
