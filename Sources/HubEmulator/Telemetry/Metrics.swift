/// The counts in the text format of Prometheus.
struct Metrics: Sendable {
    let hubs: [Hub]
    let journal: Journal
    let faults: FaultScript
    let warnings: WarningLog
    let started: ContinuousClock.Instant

    var text: String {
        var lines: [String] = []
        func family(_ name: String, _ kind: String, _ help: String, _ samples: [String]) {
            lines.append("# HELP fanfare_emulator_\(name) \(help)")
            lines.append("# TYPE fanfare_emulator_\(name) \(kind)")
            lines += samples.map { "fanfare_emulator_\(name)\($0)" }
        }
        let counts = hubs.sorted { $0.name < $1.name }.map { ($0, journal.count(hub: $0.name)) }
        family(
            "answers_total", "counter", "Sends by status of the response; 0: closed without one.",
            counts.flatMap { hub, count in
                count.statuses.sorted { $0.key < $1.key }
                    .map { "{hub=\"\(hub.name)\",status=\"\($0.key)\"} \($0.value)" }
            })
        family(
            "taken_total", "counter", "Sends that the hub accepted.", counts.map { "{hub=\"\($0.name)\"} \($1.taken)" })
        family(
            "shown_total", "counter", "Pushes that reached a device.", counts.map { "{hub=\"\($0.name)\"} \($1.shown)" }
        )
        family("devices", "gauge", "Devices registered.", counts.map { "{hub=\"\($0.0.name)\"} \($0.0.deviceCount)" })
        family(
            "registrations", "gauge", "Registrations by platform: devices, their templates and their tiles.",
            counts.flatMap { hub, _ in
                hub.registrationCounts.map {
                    "{hub=\"\(hub.name)\",platform=\"\($0.platform.rawValue)\"} \($0.count)"
                }
            })
        family("faults_total", "counter", "Faults applied.", [" \(faults.all.reduce(0) { $0 + $1.struck })"])
        family("warnings_total", "counter", "Warnings.", [" \(warnings.total)"])
        family("uptime_seconds", "gauge", "Seconds since the start.", [" \(started.duration(to: .now) / .seconds(1))"])
        return lines.joined(separator: "\n") + "\n"
    }
}
