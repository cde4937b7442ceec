import Files
import Glibc
import PushModel
import Signing

/// The service-account file of a sender. It outlives the emulator, so that a client that has read it needs no other one after a
/// restart.
package struct ServiceAccountFile: Sendable {
    package let path: String
    package let account: EmulatorSettings.Sender.Account

    /// Bytes that are read.
    private static let limit = 65_536

    /// Reads the file, or makes a new account when the file does not exist yet. Nothing is written.
    ///
    /// - Throws: `EmulatorError` for a file that is no service account, and for one whose `token_uri` is not on this machine: it is
    ///   no emulator's, and would be overwritten.
    package init(at path: String, for sender: String) throws(EmulatorError) {
        self.path = path
        let bytes: [UInt8]
        do throws(FileFault) {
            bytes = try BoundedFile.bytes(of: path, limit: Self.limit)
        } catch .missing {
            account = EmulatorSettings.Sender(sender, accounts: []).newAccount
            return
        } catch {
            throw EmulatorError("cannot read \(path): \(error.reason)")
        }
        do throws(EmulatorError) {
            guard Self.isLocal(bytes) else {
                throw EmulatorError("its token_uri is not on this machine, so it is no emulator's; name another file")
            }
            account = try EmulatorSettings.Sender.Account(json: Secret(String(decoding: bytes, as: UTF8.self)))
        } catch {
            throw EmulatorError("\(path): \(error.description)")
        }
    }

    private static func isLocal(_ bytes: [UInt8]) -> Bool {
        // What is no JSON is refused with its own words.
        guard let value = (try? JSONNode(bytes))?.value, case .string(let address) = value["token_uri"] else {
            return true
        }
        return ["http://127.", "http://localhost:", "http://localhost/", "http://[::1]"].contains(
            where: address.hasPrefix)
    }

    /// Writes the file for its owner alone, whole or not at all.
    ///
    /// - Parameter tokenURI: where the emulator listens now.
    /// - Throws: `EmulatorError` when it cannot be written.
    package func write(tokenURI: String) throws(EmulatorError) {
        do throws(FileFault) {
            let file = try AtomicFile(path, draft: "\(path).\(getpid()).new", mode: 0o600)
            try file.append(account.json(tokenURI: tokenURI).reveal().utf8)
            try file.commit(isDurable: false)
        } catch {
            throw EmulatorError("cannot write \(path): \(error.reason)")
        }
    }

    /// Where the file of a sender is when nobody says so.
    ///
    /// - Throws: `EmulatorError` when the folder is another user's, or others can read it.
    package static func usualPath(for sender: String) throws(EmulatorError) -> String {
        try usualFolder() + "/\(sender).json"
    }

    /// A folder of this user alone, in the folder for temporary files. It is made when it does not exist.
    ///
    /// - Throws: `EmulatorError` when the folder is another user's, or others can read it.
    static func usualFolder() throws(EmulatorError) -> String {
        let temporary = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let folder = (temporary.hasSuffix("/") ? temporary : temporary + "/") + "fanfare-emulator-\(geteuid())"
        if mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw EmulatorError("cannot make \(folder): \(String(cString: strerror(errno)))")
        }
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0
        else { throw EmulatorError("\(folder) is not a folder of this user alone: remove it, or name a file") }
        return folder
    }
}

extension EmulatorSettings.Sender {
    fileprivate var newAccount: Account { Account(project: project) }
}
