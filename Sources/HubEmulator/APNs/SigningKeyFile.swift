import Files
import Glibc
import Signing

/// The .p8 file of an APNs sender. It outlives the emulator, so that a client that has read it needs no other one after a restart.
package struct SigningKeyFile: Sendable {
    package let path: String
    package let key: EmulatorSettings.APNsSender.Key
    /// Whether the file exists already.
    private let isKept: Bool

    /// Bytes that are read.
    private static let limit = 16_384

    /// Reads the file, or makes a new key when the file does not exist yet. Nothing is written. A file that is named as Apple names
    /// them has the key's id in its name.
    ///
    /// - Throws: `EmulatorError` for a file that is no key, or that others can read: a key of Apple's could be meant.
    package init(at path: String) throws(EmulatorError) {
        self.path = path
        let id = Self.id(inNameOf: path)
        let bytes: [UInt8]
        do throws(FileFault) {
            bytes = try BoundedFile.bytes(of: path, limit: Self.limit)
        } catch .missing {
            key = EmulatorSettings.APNsSender.Key(id: id)
            isKept = false
            return
        } catch {
            throw EmulatorError("cannot read \(path): \(error.reason)")
        }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o077 == 0 else {
            throw EmulatorError("\(path) can be read by others: chmod 600 '\(path)'")
        }
        do throws(EmulatorError) {
            key = try EmulatorSettings.APNsSender.Key(
                p8: Secret(String(decoding: bytes, as: UTF8.self)), id: id)
        } catch {
            throw EmulatorError("\(path): \(error.description)")
        }
        isKept = true
    }

    /// `ABC123DEFG` of `AuthKey_ABC123DEFG.p8`, as Apple names the file of a key; nil: it has another name.
    private static func id(inNameOf path: String) -> String? {
        path.split(separator: "/").last?.wholeMatch(of: /AuthKey_([A-Z0-9]{10})\.p8/).map { String($0.1) }
    }

    /// Writes a new key for its owner alone, whole or not at all. A file that was read stays as it is.
    ///
    /// - Throws: `EmulatorError` when it cannot be written.
    package func write() throws(EmulatorError) { if !isKept { try Self.write(key.p8.reveal(), to: path) } }

    /// Where the sender's certificate is: beside its key.
    package var certificatePath: String {
        (path.hasSuffix(".p8") ? String(path.dropLast(".p8".count)) : path) + ".pem"
    }

    /// Writes a certificate with its key for the owner alone.
    ///
    /// - Throws: `EmulatorError` when it cannot be written.
    package func write(certificate: TLSIdentity.Client) throws(EmulatorError) {
        try Self.write(certificate.certificate + certificate.key.reveal(), to: certificatePath)
    }

    private static func write(_ text: String, to path: String) throws(EmulatorError) {
        do throws(FileFault) {
            let file = try AtomicFile(path, draft: "\(path).\(getpid()).new", mode: 0o600)
            try file.append(text.utf8)
            try file.commit(isDurable: false)
        } catch {
            throw EmulatorError("cannot write \(path): \(error.reason)")
        }
    }

    /// Where the file of a sender is when nobody says so: beside the service accounts of FCM senders.
    ///
    /// - Throws: `EmulatorError` when the folder is another user's, or others can read it.
    package static func usualPath(for sender: String) throws(EmulatorError) -> String {
        try ServiceAccountFile.usualFolder() + "/\(sender).p8"
    }
}
