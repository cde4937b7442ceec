import Foundation
import PushModel
import Signing

extension EmulatorSettings {
    /// A sender of Firebase Cloud Messaging (FCM HTTP v1): a project, and the service accounts that may send for it. Its
    /// phones, inboxes and journal are those of a hub of its name.
    public struct Sender: Sendable {
        /// As a hub's; unlike every hub's and every other sender's.
        public var name: String
        /// The id of the Firebase project, which is in the path of every send. Unlike every other sender's.
        public var project: String
        /// At least one. Faults know the first as the primary one.
        public var accounts: [Account]
        /// Seconds an access token lasts, by the emulator's clock. Default: 3,599, as Google's. At least 1.
        public var tokenSeconds = 3_599

        /// - Parameters:
        ///   - project: default: made from the name.
        ///   - accounts: default: one with a new key, which takes about 100 ms to make.
        public init(_ name: String, project: String? = nil, accounts: [Account]? = nil) {
            self.name = name
            self.project = project ?? Self.project(of: name)
            self.accounts = accounts ?? [Account(project: self.project)]
        }

        /// `shop` becomes `shop-emulator`. A project's id has lower-case letters, digits and hyphens.
        private static func project(of name: String) -> String {
            let plain = name.lowercased().utf8.map { byte in
                let isPlain =
                    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                return isPlain ? byte : UInt8(ascii: "-")
            }
            return String(decoding: plain, as: UTF8.self) + "-emulator"
        }
    }
}

extension EmulatorSettings.Sender {
    /// A service account of a sender, which signs the assertions that it changes for access tokens.
    public struct Account: Sendable {
        public let project: String
        /// `client_email`: the issuer of its assertions.
        public let email: String
        /// `private_key_id`; nil: the file has none.
        public let keyID: String?
        private let keys: RSAKeyPair

        /// An account with a new RSA key of 2,048 bits.
        ///
        /// - Parameter name: the part of the address before the project, by which a project's accounts differ.
        public init(project: String, name: String = "emulator") {
            self.project = project
            email = "\(name)@\(project).iam.gserviceaccount.com"
            keyID = String((FakeIDs.guid() + FakeIDs.guid()).filter { $0 != "-" }.prefix(40))
            keys = RSAKeyPair.generate()
        }

        /// The account of a service-account file, as Firebase's console gives it out.
        ///
        /// - Throws: `EmulatorError` naming the member that is missing or wrong; never a value.
        public init(json: Secret) throws(EmulatorError) {
            guard let value = (try? JSONNode(Array(json.reveal().utf8)))?.value, case .object = value else {
                throw EmulatorError("it is no JSON object")
            }
            func text(_ name: String) throws(EmulatorError) -> String {
                guard case .string(let text) = value[name], !text.isEmpty else {
                    throw EmulatorError("\(name) is missing, or no string")
                }
                return text
            }
            guard try text("type") == "service_account" else { throw EmulatorError("type is not service_account") }
            project = try text("project_id")
            email = try text("client_email")
            if case .string(let id) = value["private_key_id"], !id.isEmpty { keyID = id } else { keyID = nil }
            guard let keys = RSAKeyPair(privateKey: Secret(try text("private_key"))) else {
                throw EmulatorError("private_key is no RSA key in PEM")
            }
            self.keys = keys
        }

        /// PEM, for checking what the account signs.
        var publicKey: String { keys.publicKey }

        /// The service-account file.
        ///
        /// - Parameter tokenURI: where its assertions are changed for tokens: `http://127.0.0.1:8099/token`.
        public func json(tokenURI: String) -> Secret {
            var members = [
                "type": "service_account", "project_id": project, "client_email": email,
                "private_key": keys.privateKey.reveal(), "token_uri": tokenURI, "universe_domain": "googleapis.com",
            ]
            members["private_key_id"] = keyID
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
            // A dictionary of strings always encodes.
            let data = (try? encoder.encode(members)) ?? Data()
            return Secret(String(decoding: data, as: UTF8.self) + "\n")
        }
    }
}
