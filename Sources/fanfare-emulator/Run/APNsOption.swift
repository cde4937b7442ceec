import ArgumentParser
import CommandLineTool
import HubEmulator
import PushModel

/// `NAME`, `NAME:sandbox`, each with `=FILE`: a sender of APNs, and where its key is.
struct APNsOption: ExpressibleByArgument {
    let name: String
    let environment: APNsEnvironment
    /// nil: at the usual place.
    let file: String?

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let words = parts[0].split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard !words[0].isEmpty, words.count <= 2, parts.count == 1 || !parts[1].isEmpty,
            let environment = APNsEnvironment(
                rawValue: words.count > 1 ? words[1] : "production")
        else { return nil }
        name = words[0]
        self.environment = environment
        file = parts.count > 1 ? parts[1] : nil
    }

    /// - Throws: `Failure` when the file is no key, or its folder cannot be used.
    func sender(hasCertificate: Bool = false) throws(Failure) -> PlannedAPNsSender {
        do throws(EmulatorError) {
            // A name that cannot be a file's is refused where all names are checked.
            let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
            let path: String
            if let file { path = file } else { path = isPlain ? try SigningKeyFile.usualPath(for: name) : name }
            let file = try SigningKeyFile(at: path)
            var sender = EmulatorSettings.APNsSender(name, environment: environment, keys: [file.key])
            sender.hasCertificate = hasCertificate
            return PlannedAPNsSender(sender: sender, file: file)
        } catch {
            throw Failure("cannot emulate", because: "--apns \(name): \(error)", status: .badInput)
        }
    }
}

/// A sender of APNs that an emulator serves.
struct PlannedAPNsSender {
    let sender: EmulatorSettings.APNsSender
    /// nil: the settings have the key.
    let file: SigningKeyFile?
}
