extension KnownReach {
    /// `vip: 1,204 devices, counted 2 h ago`
    ///
    /// - Parameter asOf: seconds since 1970.
    package func text(asOf: Double) -> String {
        let age = asOf - countedAt
        let number = "\(HumanFormat.grouped(devices)) device\(devices == 1 ? "" : "s")"
        let counted =
            switch (isWhole, devices == of) {
            case (true, true): number
            case (true, false): "\(number) of \(HumanFormat.grouped(of))"
            case (false, true): "at least \(number)"
            case (false, false): "\(number) of the first \(HumanFormat.grouped(of))"
            }
        let when = age < 60 ? "" : ", counted \(HumanFormat.duration(age)) ago"
        return "\(expression): \(counted)\(when)" + (age > 86_400 ? "; it may have changed" : "")
    }
}
