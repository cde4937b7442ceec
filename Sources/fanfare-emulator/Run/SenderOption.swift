import ArgumentParser
import CommandLineTool
import HubEmulator

/// `NAME` or `NAME=FILE`: a sender of FCM, and where its service account is.
struct SenderOption: ExpressibleByArgument {
    let name: String
    /// nil: at the usual place.
    let file: String?

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard !parts[0].isEmpty, parts.count == 1 || !parts[1].isEmpty else { return nil }
        name = parts[0]
        file = parts.count > 1 ? parts[1] : nil
    }

    /// - Throws: `Failure` when the file is no emulator's service account, or its folder cannot be used.
    func sender() throws(Failure) -> PlannedSender {
        do throws(EmulatorError) {
            // A name that cannot be a file's is refused where all names are checked.
            let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
            let path: String
            if let file { path = file } else { path = isPlain ? try ServiceAccountFile.usualPath(for: name) : name }
            let file = try ServiceAccountFile(at: path, for: name)
            let sender = EmulatorSettings.Sender(name, project: file.account.project, accounts: [file.account])
            return PlannedSender(sender: sender, file: file)
        } catch {
            throw Failure("cannot emulate", because: "--fcm \(name): \(error)", status: .badInput)
        }
    }
}

/// A sender that an emulator serves.
struct PlannedSender {
    let sender: EmulatorSettings.Sender
    /// Written at the start with the address; nil: the settings have the account.
    let file: ServiceAccountFile?
}
