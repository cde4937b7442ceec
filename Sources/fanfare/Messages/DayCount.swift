import ArgumentParser

/// How old something is, in days or weeks: `30d`, `8w`.
struct DayCount: ExpressibleByArgument, CustomStringConvertible {
    let days: Int

    init?(argument: String) {
        guard let age = argument.wholeMatch(of: /([0-9]{1,5})(d|w)/), let number = Int(age.1), number > 0 else {
            return nil
        }
        days = age.2 == "w" ? number * 7 : number
    }

    init(days: Int) { self.days = days }

    /// As PostgreSQL reads an interval.
    var interval: String { "\(days) days" }
    var description: String { "\(days)d" }
    var defaultValueDescription: String { description }
}
