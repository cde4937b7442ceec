import Campaigns
import CommandLineTool

extension Failure {
    /// What is not a schedule: 65.
    init(_ error: CronLineError) {
        self.init("schedule", because: "\(error)", hint: error.hint, status: .badInput)
    }

    /// 65 for a name, 78 for a machine without time zones or with broken ones.
    init(_ error: TimeZoneError) {
        self.init(
            "time zone", because: "\(error)", hint: error.hint,
            status: error.isOfThisMachine ? .configuration : .badInput)
    }

    /// As for time zones; 65 for what is not a time.
    ///
    /// - Parameter option: where it was given.
    init(_ error: OneOffTimeError, for option: String) {
        if case .zone(let error) = error {
            self.init(error)
        } else {
            self.init(option, because: "\(error)", hint: error.hint, status: .badInput)
        }
    }
}
