import CommandLineTool
import ArgumentParser
import Foundation
import HubEmulator

/// How an emulator is reached, and what goes wrong there from the start.
struct EmulatorEndpointOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Also listen with TLS on this port, with a certificate made at the start. 0: any free one.",
            valueName: "port"))
    var tlsPort: Int?

    @Option(
        name: .customLong("tls-name"),
        help: ArgumentHelp("A name or address besides localhost the certificate is for. Repeatable.", valueName: "name")
    )
    var tlsNames: [String] = []

    @Option(
        name: .customLong("ca-file"),
        help: ArgumentHelp("Write the authority that clients are to trust to this file (PEM).", valueName: "file"))
    var caFile: String?

    @Flag(help: "Listen with plain HTTP also on an address that is not loopback. No key is asked for there.")
    var allowPlainHTTP = false

    @Option(help: ArgumentHelp("Set the faults of this file, as JSON, from the start.", valueName: "file"))
    var faults: String?

    func validate() throws {
        guard tlsPort == nil else {
            try require("--tls-port", tlsPort, in: 0...65_535)
            return
        }
        if !tlsNames.isEmpty { throw ValidationError("--tls-name needs --tls-port") }
        if caFile != nil { throw ValidationError("--ca-file needs --tls-port") }
    }

    /// - Throws: `Failure` when the faults cannot be read or make no sense.
    func apply(to settings: inout EmulatorSettings) throws(Failure) {
        settings.tls = tlsPort.map { .init(port: $0, names: tlsNames, caFile: caFile) }
        settings.allowsPlainBeyondLoopback = allowPlainHTTP
        guard let faults else { return }
        let json = try InputFile.bytes(of: faults)
        settings.faults = try Failure.wrapping("cannot read \(faults)") { try Fault.list(json: json) }
    }
}
