import Signing

/// A .p8 file with its ids, and a client certificate, as a hub of kind `apns` needs one of them.
enum TestKey {
    static let team = "ABCDE12345"
    static let id = "FGHIJ67890"
    static let text = P256KeyPair.generate().privateKey.reveal()
    static let other = P256KeyPair.generate().privateKey.reveal()

    /// A piece of every private key here, which nothing may print.
    static let piece = "BEGIN PRIVATE"
}

extension SettingsFixture {
    /// A settings file with one hub of kind `apns` that has `members` besides its key, the key's ids and its topic.
    static func apns(_ members: String = "", key: String? = nil, ids: Bool = true) throws -> String {
        let ids = ids ? #", "topic": "com.example.shop", "teamId": "\#(TestKey.team)", "keyId": "\#(TestKey.id)""# : ""
        let more = members.isEmpty ? "" : ", \(members)"
        return try #"{"hubs": {"ios": {"kind": "apns", "key": \#(json(key ?? TestKey.text))\#(ids)\#(more)}}}"#
    }
}
