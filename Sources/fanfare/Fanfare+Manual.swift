import CommandLineTool

/// fanfare(1).
extension Fanfare: DocumentedProgram {
    static func manual() throws -> ManualPage {
        try ManualPage(
            of: Self.self, sections: [signals, environment, files, .exitStatus],
            seeAlso: ["fanfare-emulator 1", "psql 1", "systemd.service 5"])
    }

    private static let signals = ManualPage.Section(
        "SIGNALS",
        [
            (
                "SIGTERM, SIGINT",
                "Stop: claim nothing more, give back what has not left, wait for answers, record them, and end with 0. A second SIGINT ends at once with 130; what it held is rescued by another worker."
            ),
            (
                "SIGHUP",
                "run reads its settings again, drain ignores it. When it comes because the terminal has gone, both stop as with SIGTERM, unless nohup started them."
            ),
        ])

    private static let environment = ManualPage.Section(
        "ENVIRONMENT",
        [
            ("FANFARE_...", "One variable for each setting, such as FANFARE_DISPATCH_BATCH for dispatch.batch."),
            ("DATABASE_URL", "Stands in for FANFARE_DATABASE_URL."),
            ("PGHOST, PGSERVICE, PGPASSFILE, ...", "What libpq goes by when database.url leaves it open."),
            ("CREDENTIALS_DIRECTORY", "Where credential files are looked for, before /run/secrets."),
            (
                "OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME, ...",
                "Where run and drain send spans to: an OpenTelemetry collector that takes OTLP/HTTP with JSON. Without an endpoint there are none. OTEL_SDK_DISABLED=true turns them off."
            ),
            ("NOTIFY_SOCKET, WATCHDOG_USEC", "Where and how often run tells systemd that it is ready and alive."),
        ])

    private static let files = ManualPage.Section(
        "FILES",
        [
            ("config.json", "The settings, in the current directory."),
            ("/etc/fanfare/config.json", "The settings, where there is no such file."),
            ("/run/secrets", "Credential files, one for each secret."),
        ])
}
