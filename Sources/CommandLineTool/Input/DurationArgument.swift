import ArgumentParser

/// A length of time as people write it: `90`, `90s`, `10m`, `1h30m`, `2d`. A number alone means seconds.
package struct DurationArgument: ExpressibleByArgument {
    package let seconds: Double

    package init?(argument: String) {
        if let number = Double(argument), number.isFinite, number >= 0 {
            seconds = number
            return
        }
        var rest = argument[...]
        var sum = 0.0
        var smallest = Double.infinity
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard let number = Double(digits), let unit = rest.dropFirst(digits.count).first.flatMap(Self.length),
                unit < smallest
            else { return nil }
            sum += number * unit
            smallest = unit  // each unit once, the largest first
            rest = rest.dropFirst(digits.count + 1)
        }
        guard !argument.isEmpty else { return nil }
        seconds = sum
    }

    private static func length(_ unit: Character) -> Double? {
        switch unit {
        case "s": 1
        case "m": 60
        case "h": 3600
        case "d": 86_400
        default: nil
        }
    }
}
