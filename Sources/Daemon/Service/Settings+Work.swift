import Campaigns
import Configuration

extension Settings {
    /// What `fanfare run` asks before anything else, and `fanfare config check` too.
    ///
    /// - Throws: `SettingsError` when no worker can work with these settings, or on this machine.
    public func requireWork() throws(SettingsError) {
        var problems: [SettingsProblem] = hubs.isEmpty ? [.noHubs] : []
        do throws(TimeZoneError) {
            try Scheduler.checkZones()
        } catch {
            problems.append(
                SettingsProblem(
                    key: "time zones", found: "are not on this machine: \(error)",
                    rule: "campaigns start at their hours, and must not start at those of UTC", remedy: error.hint))
        }
        if !problems.isEmpty { throw SettingsError(problems: problems, warnings: warnings) }
    }
}
