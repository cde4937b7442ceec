import Telemetry

/// What a worker's process says about itself. docs/metrics.md is made of these lists.
extension MetricFamily {
    public static let process: [MetricFamily] = [
        .reloadSuccessful, .reloadTime, .buildInfo, .processCPU, .processResident, .processOpenFiles,
        .processMostFiles, .processStart, .scheduledStarts,
    ]

    public static let reloadSuccessful = MetricFamily(
        "fanfare_config_last_reload_successful", .gauge, "Whether the settings could be read the last time; 1 or 0")
    public static let reloadTime = MetricFamily(
        "fanfare_config_last_reload_success_timestamp_seconds", .gauge,
        "When the settings in use were read, Unix time")
    public static let buildInfo = MetricFamily(
        "fanfare_build_info", .gauge, labels: ["version", "swift", "libcurl", "libpq", "openssl"],
        "1; its labels name the version, the compiler it was built with, and the libraries it runs with")
    public static let processCPU = MetricFamily(
        "process_cpu_seconds_total", .counter, "CPU time of the process, user and system")
    public static let processResident = MetricFamily(
        "process_resident_memory_bytes", .gauge, "Memory of the process that is resident")
    public static let processOpenFiles = MetricFamily("process_open_fds", .gauge, "Open file descriptors")
    public static let processMostFiles = MetricFamily("process_max_fds", .gauge, "File descriptors that may be open")
    public static let processStart = MetricFamily(
        "process_start_time_seconds", .gauge, "When the process was started, Unix time")
    public static let scheduledStarts = MetricFamily(
        "fanfare_scheduled_starts_total", .counter, labels: ["state"],
        "Times of schedules that this worker found come, by the state of their run: running, waiting, skipped (another run was "
            + "not over), failed (it could not begin); missed: no worker started it in time")
}
