import Configuration
import ArgumentParser
import CommandLineTool
import Foundation

/// Which running emulator, and which of its hubs.
struct EmulatorOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where the emulator listens. Default: the variable EMULATOR_AT, or where the settings look for a hub on "
                + "this machine, else 127.0.0.1:8099.", valueName: "host:port"))
    var at: ListenAddress?

    @Option(help: ArgumentHelp("One hub of it. Default: all, or the only one.", valueName: "name")) var hub: String?

    /// - Throws: `Failure` when `EMULATOR_AT` is no address.
    func address(_ options: CommandOptions) throws(Failure) -> ListenAddress {
        if let at { return at }
        if let address = try EmulatorPlan.addressInEnvironment() { return address }
        // Settings that are wrong, or lead elsewhere, say nothing about an emulator: then it is at its usual place.
        return (try? EmulatorPlan(options, listen: nil))?.address ?? EmulatorPlan.usualAddress
    }

    /// - Throws: `ValidationError` when a hub is named for what concerns all of them.
    func refuseHub(_ why: String) throws {
        if hub != nil { throw ValidationError("\(why): leave out --hub.") }
    }

    /// `?hub=...` and more; nil and empty values are left out.
    func query(_ more: [(String, String?)] = []) -> String {
        let parts = ([("hub", hub)] + more).compactMap { name, value in
            value.flatMap { $0.isEmpty ? nil : "\(name)=\(EmulatorClient.encoded($0))" }
        }
        return parts.isEmpty ? "" : "?" + parts.joined(separator: "&")
    }
}
