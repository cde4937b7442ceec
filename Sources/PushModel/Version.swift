/// What this build calls itself: in `--version`, `User-Agent`, `push.worker` and `push.schema_file`.
public let fanfareVersion = "0.1.0"

/// The day of that version, as manual pages show it.
public let fanfareVersionDate = "November 21, 2026"
