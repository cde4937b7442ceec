import Foundation

/// A Google service account, from the JSON file that the Firebase console gives out: the right to ask for access tokens.
///
/// Members read: `type`, `project_id`, `private_key_id`, `private_key`, `client_email`, `token_uri`. The others are ignored
/// (docs/wire/fcm-apns.md, "Service account").
public struct ServiceAccount: Sendable, Equatable {
    /// The Firebase project, `project_id`.
    public let project: String
    /// Who asks, `client_email`.
    public let email: String
    /// Which of the account's keys signs, `private_key_id`; nil: the file names none.
    public let keyID: String?
    /// Where tokens are given out, `token_uri`: https, or http on loopback.
    public let tokenAddress: WebAddress
    public let key: RSAKey

    /// Bytes of a file: those of Google have about 2,400.
    public static let limit = 65_536

    /// - Parameter text: the whole file.
    /// - Throws: `ServiceAccountError`, which names the member at fault and never holds any of the text.
    public init(parsing text: String) throws(ServiceAccountError) {
        let members = try Members(text)
        if members.isOfApp { throw .ofApp }
        guard try members.text(.type) == "service_account" else { throw .otherType }
        project = try members.text(.project, Self.isName)
        email = try members.text(.email) { Self.isName($0) && $0.contains("@") }
        keyID = members.has(.keyID) ? try members.text(.keyID, Self.isName) : nil
        let address = try members.text(.tokenAddress)
        do throws(WebAddressError) {
            tokenAddress = try WebAddress(address)
        } catch {
            throw .address(error)
        }
        let pem = Secret(try members.text(.key))
        do throws(RSAKeyError) {
            key = try RSAKey(pem: pem)
        } catch {
            throw .key(error)
        }
    }

    /// Goes into a claim or a URL: one word of ASCII.
    private static func isName(_ text: String) -> Bool {
        (1...320).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"\\/?#".utf8.contains($0) }
    }
}

/// The members of the file. Of a name that stands there twice, either counts.
private struct Members {
    private let values: [String: Any]

    init(_ text: String) throws(ServiceAccountError) {
        // A byte order mark, as Windows editors leave it.
        let bytes = text.utf8.starts(with: [0xEF, 0xBB, 0xBF]) ? text.utf8.dropFirst(3) : text.utf8[...]
        guard let first = bytes.first(where: { $0 > 0x20 }), let last = bytes.last(where: { $0 > 0x20 }) else {
            throw .empty
        }
        guard bytes.count <= ServiceAccount.limit else { throw .tooLarge(bytes.count) }
        guard let parsed = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed) else {
            throw first == UInt8(ascii: "{") && last != UInt8(ascii: "}") ? .cutOff : .notJSON
        }
        guard let values = parsed as? [String: Any] else { throw .notJSON }
        self.values = values
    }

    /// The file with which an app finds its project.
    var isOfApp: Bool { values["type"] == nil && values["project_info"] != nil && values["client"] != nil }

    func has(_ member: ServiceAccountError.Member) -> Bool {
        values[member.rawValue].map { !($0 is NSNull) } ?? false
    }

    /// - Parameter isValid: whether the member can have this text. Default: any but the empty one.
    func text(
        _ member: ServiceAccountError.Member, _ isValid: (String) -> Bool = { !$0.isEmpty }
    ) throws(ServiceAccountError) -> String {
        guard has(member) else { throw .missing(member) }
        guard let text = values[member.rawValue] as? String else { throw .notText(member) }
        guard isValid(text) else { throw .form(member) }
        return text
    }
}
