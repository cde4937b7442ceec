/// A key of a developer team at Apple, which signs provider tokens: the text of a .p8 file and the two ids that go with it
/// (docs/wire/fcm-apns.md, "Provider token").
public struct ProviderKey: Sendable, Hashable {
    public let key: P256Key
    /// Which of the team's keys it is; Apple puts it into the file's name: `AuthKey_ABC123DEFG.p8`.
    public let keyID: String
    public let team: String

    /// Characters of an id of Apple.
    public static let idLength = 10

    /// - Parameter pem: the text of the .p8 file.
    /// - Throws: `ProviderKeyError`, which never holds any of the text.
    public init(pem: Secret, keyID: String, team: String) throws(ProviderKeyError) {
        guard Self.isID(keyID) else { throw .keyID }
        guard Self.isID(team) else { throw .team }
        do throws(P256KeyError) {
            key = try P256Key(pem: pem)
        } catch {
            throw .key(error)
        }
        self.keyID = keyID
        self.team = team
    }

    /// Whether a text can be the id of a key or a team: ten capital letters and digits.
    public static func isID(_ text: String) -> Bool {
        text.utf8.count == idLength
            && text.utf8.allSatisfy {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }
}

/// Why a key of Apple's is refused.
public enum ProviderKeyError: Error, Sendable, Equatable, CustomStringConvertible {
    case keyID
    case team
    case key(P256KeyError)

    public var description: String {
        switch self {
        case .keyID: "keyId is not 10 capital letters and digits; it stands in the name of the .p8 file"
        case .team: "teamId is not 10 capital letters and digits; it stands in the Apple developer account, Membership"
        case .key(let error): "key \(error)"
        }
    }
}
