import ArgumentParser
import Foundation

/// A time that has passed, as people give it: `2h` ago, or a time as PostgreSQL reads it.
package struct PastInstant: ExpressibleByArgument {
    /// For PostgreSQL.
    package let text: String

    package init?(argument: String) { self.init(argument, now: Date()) }

    package init?(_ argument: String, now: Date) {
        if let age = argument.wholeMatch(of: /([0-9]{1,6})([smhdw])/), let number = Double(age.1) {
            let units: [Substring: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
            text = now.addingTimeInterval(-number * (units[age.2] ?? 1)).ISO8601Format()
        } else if argument.contains(where: \.isNumber) {
            text = argument
        } else {
            return nil
        }
    }
}
