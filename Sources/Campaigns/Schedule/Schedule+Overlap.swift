/// How long a local run takes, and what that means for the next one.
extension Schedule {
    /// Seconds from UTC+14, where a local run opens, to UTC-12, where its time comes last.
    static let localSpan = 26 * 3_600

    /// What holds for a time that comes while another run is open: what was written; else `skip`, but `allow` for a local
    /// time whose run before is still on its way to the last zones.
    func overlap(at time: Int) -> Overlap { overlap ?? (secondsBehindOpenZones(time) == nil ? .skip : .allow) }

    /// Seconds from the time before to this one, where the local run of that one may not have reached all zones yet.
    func secondsBehindOpenZones(_ time: Int) -> Int? {
        guard isLocal, let before = next(after: time - Self.localSpan - Int(jitter) - 1), before < time else {
            return nil
        }
        return time - before
    }
}
