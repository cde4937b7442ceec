import COpenSSL
import Foundation

/// What is kept of a password: a hash by scrypt (RFC 7914), from which the password cannot be read.
///
/// Its text is in the PHC string format (github.com/P-H-C/phc-string-format), as passlib and npm's `@phc/scrypt`
/// write it, too: `$scrypt$ln=15,r=8,p=3$SALT$HASH`, the last two in Base64 without padding. Prints as `•••`: a hash lets
/// its reader guess passwords without being seen.
public struct PasswordHash: Sendable, Equatable {
    /// What making and comparing it costs.
    package let cost: Cost
    private let salt: [UInt8]
    private let hash: [UInt8]

    /// Bytes of a password at most, so that nobody has long texts normalised.
    public static let longestPassword = 1_024

    /// Makes a hash with a new salt. Takes as long as `matches`.
    ///
    /// - Parameters:
    ///   - password: compared as `matches` says.
    ///   - cost: within the bounds of `Cost`. Tests take a cheap one.
    public static func make(of password: String, cost: Cost = .usual) -> PasswordHash {
        // Both fail only in a broken installation or without memory.
        var salt = [UInt8](repeating: 0, count: 16)
        guard cost.isWithinBounds, RAND_bytes(&salt, Int32(salt.count)) == 1,
            let hash = Scrypt.hash(of: prepared(password), salt: salt, cost: cost, bytes: 32)
        else { fatalError("this OpenSSL has no scrypt, or no random bytes") }
        return PasswordHash(cost: cost, salt: salt, hash: hash)
    }

    /// Reads a text in the form of `text`.
    ///
    /// - Returns: nil: it is not in that form, to the letter; its salt has not 8 to 48 bytes or its hash not 16 to 64; or a
    ///   comparison would cost more than `Cost` allows.
    public init?(_ text: String) {
        guard text.utf8.count <= 200 else { return nil }
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt", let cost = Cost(parts[2]),
            let salt = Self.bytes(parts[3]), (8...48).contains(salt.count),
            let hash = Self.bytes(parts[4]), (16...64).contains(hash.count)
        else { return nil }
        self.init(cost: cost, salt: salt, hash: hash)
    }

    private init(cost: Cost, salt: [UInt8], hash: [UInt8]) {
        self.cost = cost
        self.salt = salt
        self.hash = hash
    }

    /// The hash as it stands in the settings. Not for logs and pages.
    public var text: String { "$scrypt$\(cost)$\(Self.encoded(salt))$\(Self.encoded(hash))" }

    /// Whether it is the hash of a password.
    ///
    /// Keeps a core busy for about 0.3 s and takes 32 MiB at the usual cost, at most 2 s and 128 MiB: not for an event loop.
    /// The time does not depend on how much of the password is right.
    ///
    /// Passwords are compared by the profile OpaqueString (RFC 8265, section 4.2): in normalisation form C, with other
    /// blanks taken for U+0020, so that one typed at another keyboard or system is the same. Case counts.
    ///
    /// - Returns: false for a password of more than `longestPassword` bytes, and when there is no memory for a comparison.
    public func matches(_ password: String) -> Bool {
        guard password.utf8.count <= Self.longestPassword,
            let found = Scrypt.hash(of: Self.prepared(password), salt: salt, cost: cost, bytes: hash.count)
        else { return false }
        return CRYPTO_memcmp(found, hash, hash.count) == 0
    }

    private static func prepared(_ password: String) -> [UInt8] {
        var scalars = String.UnicodeScalarView()
        for scalar in password.unicodeScalars {
            scalars.append(scalar.properties.generalCategory == .spaceSeparator ? " " : scalar)
        }
        return Array(String(scalars).precomposedStringWithCanonicalMapping.utf8)
    }

    // MARK: - Base64 without padding

    private static func encoded(_ bytes: [UInt8]) -> String {
        String(Base64.encode(bytes).prefix { $0 != "=" })
    }

    private static func bytes(_ digits: Substring) -> [UInt8]? {
        guard !digits.utf8.contains(UInt8(ascii: "=")) else { return nil }
        let padding = String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4)
        return Base64.decode(String(digits) + padding)
    }
}

extension PasswordHash: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "•••" }
    public var debugDescription: String { "•••" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
