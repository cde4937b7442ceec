import ArgumentParser
import Foundation
import PushModel

/// A time that has passed, as people give it: `2h` ago, or a time as PostgreSQL reads it.
package struct PastInstant: ExpressibleByArgument {
    /// For PostgreSQL.
    package let text: String

    package init?(argument: String) { self.init(argument, now: Date()) }

    package init?(_ argument: String, now: Date) {
        if let age = PastAge(argument) {
            text = now.addingTimeInterval(-age.seconds).ISO8601Format()
        } else if argument.contains(where: \.isNumber) {
            text = argument
        } else {
            return nil
        }
    }
}
