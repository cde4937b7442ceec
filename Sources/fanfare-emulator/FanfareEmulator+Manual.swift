import CommandLineTool

/// fanfare-emulator(1).
extension FanfareEmulator: DocumentedProgram {
    static func manual() throws -> ManualPage {
        try ManualPage(
            of: Self.self,
            sections: [
                .init(
                    "SIGNALS",
                    [
                        (
                            "SIGTERM, SIGINT",
                            "Stop: write the state file if there is one, close every connection, and end with 0."
                        )
                    ]),
                .init(
                    "ENVIRONMENT",
                    [
                        (
                            "EMULATOR_AT",
                            "Where run listens and where the other commands look for an emulator, as HOST:PORT. --listen "
                                + "and --at come first."
                        )
                    ]),
                .init(
                    "FILES",
                    [
                        ("config.json", "The settings, in the current directory: which hubs to serve, and their keys."),
                        ("/etc/fanfare/config.json", "The settings, where there is no such file."),
                    ]),
                .exitStatus,
            ], seeAlso: ["curl 1", "fanfare 1"])
    }
}
