import Daemon

/// What the manual page says beside the commands.
enum ManualFooter {
    static func write(to page: inout ManualPage.Lines) {
        page.macro("Sh SIGNALS")
        list(
            [
                (
                    "SIGTERM, SIGINT",
                    "Stop: claim nothing more, give back what has not left, wait for answers, record them, and end with 0. A second SIGINT ends at once with 130; what it held is rescued by another worker."
                ),
                (
                    "SIGHUP",
                    "run reads its settings again, drain ignores it. When it comes because the terminal has gone, both stop as with SIGTERM, unless nohup started them."
                ),
            ], in: &page)
        page.macro("Sh ENVIRONMENT")
        list(
            [
                ("FANFARE_...", "One variable for each setting, such as FANFARE_DISPATCH_BATCH for dispatch.batch."),
                ("DATABASE_URL", "Stands in for FANFARE_DATABASE_URL."),
                ("PGHOST, PGSERVICE, PGPASSFILE, ...", "What libpq goes by when database.url leaves it open."),
                ("CREDENTIALS_DIRECTORY", "Where credential files are looked for, before /run/secrets."),
                ("NOTIFY_SOCKET, WATCHDOG_USEC", "Where and how often run tells systemd that it is ready and alive."),
            ], in: &page)
        page.macro("Sh FILES")
        list(
            [
                ("config.json", "The settings, in the current directory."),
                ("/etc/fanfare/config.json", "The settings, where there is no such file."),
                ("/run/secrets", "Credential files, one for each secret."),
            ], in: &page)
        page.macro("Sh EXIT STATUS")
        list(ExitStatus.allCases.map { ("\($0.rawValue)", words($0)) }, in: &page)
        page.macro("Sh SEE ALSO")
        page.macro("Xr psql 1 ,")
        page.macro("Xr systemd.service 5")
    }

    private static func list(_ items: [(String, String)], in page: inout ManualPage.Lines) {
        page.macro("Bl -tag -width Ds")
        for (name, words) in items {
            page.macro("It \(ManualPage.Lines.argument(name))")
            page.text(words)
        }
        page.macro("El")
    }

    private static func words(_ status: ExitStatus) -> String {
        switch status {
        case .ok: "Done."
        case .someFailed: "Some messages failed for good, or are in doubt; a check found something."
        case .usage: "A wrong command line."
        case .badInput: "An input file, an expression or a row that cannot be read."
        case .unavailable: "The database or a hub was out of reach, or an address cannot be listened on."
        case .internalFault: "A fault of fanfare itself."
        case .cannotWrite: "The output cannot be written."
        case .tryLater: "Work is left, or another run holds the lock: try again later."
        case .noPermission: "The database refuses this role."
        case .configuration: "The settings are wrong, or the schema is not the one this build needs."
        }
    }
}
