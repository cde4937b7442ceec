// What has to hold for the devices.
extension Checker {
    mutating func checkDevices() {
        checkChanges()
        for change in facts.lostChanges { report(.changesEndOnce, nil, "push.lost_changes: \(change)") }
        for (name, changes) in Dictionary(grouping: facts.changes, by: \.name) {
            checkDevice(name, changes.sorted { $0.id < $1.id })
        }
        let known = Set(facts.changes.map(\.name))
        for name in facts.devices.keys where !known.contains(name) {
            report(
                .devicesAreAsAsked, since: facts.deviceMoments[name] ?? [],
                "\(name) is registered, and no change of it is committed")
        }
    }

    /// What was committed is there and has ended, and what was rolled back is not there.
    private mutating func checkChanges() {
        let rows = Dictionary(facts.changes.map { ($0.id, $0) }) { first, _ in first }
        for asked in facts.confirmedChanges where rows[asked.id].map(asked.isRow) != true {
            report(
                .changesEndOnce, since: [asked.at],
                "change \(asked.id) of \(asked.device) was confirmed and there is no such row")
        }
        for asked in facts.undoneChanges where rows[asked.id].map(asked.isRow) == true {
            report(
                .rolledBackLeavesNothing, since: [asked.at],
                "change \(asked.id) of \(asked.device) was rolled back, and its row is there")
        }
        for change in facts.changes {
            if change.isWaiting {
                report(
                    .nothingIsStuck, nil, "change \(change.id) of \(change.name) waits, or a worker holds its device")
            }
            if change.results.count != (change.isWaiting ? 0 : 1) {
                report(
                    .changesEndOnce, nil,
                    "change \(change.id) of \(change.name) \(change.isWaiting ? "waits" : "is over"), final results: "
                        + "\(change.results)")
            }
        }
    }

    /// The hub has what the changes that it took say, in the order of their ids.
    ///
    /// - Parameter changes: of one device, in this order.
    private mutating func checkDevice(_ name: Facts.DeviceName, _ changes: [Facts.Change]) {
        // Changes that wait are checked by another promise.
        guard !changes.contains(where: { $0.isWaiting || $0.results.count != 1 }) else { return }
        let possible = Self.outcomes(of: changes)
        let found = facts.devices[name]
        guard !possible.contains(found) else { return }
        let story = changes.suffix(6).map { "\($0.id) \($0.action) \($0.results[0])" }.joined(separator: ", ")
        report(
            .devicesAreAsAsked, since: facts.deviceMoments[name] ?? [],
            "\(name) is \(Self.shown(found)); by its changes (\(story)) it should be "
                + possible.map(Self.shown).sorted().joined(separator: ", or "))
    }

    /// What a device may be after its changes. An attempt at a refused or superseded change may have been taken without
    /// an answer; but the next put or drop that is applied decides.
    static func outcomes(of changes: [Facts.Change]) -> Set<Facts.Device?> {
        let decisive = changes.lastIndex { $0.action != .patch && $0.results == ["applied"] }
        var possible: Set<Facts.Device?> = [nil]
        for change in changes[(decisive ?? 0)...] {
            let applied = Set(possible.map { change.applied(to: $0) })
            switch change.results {
            // The hub takes no patch of a device that it does not have.
            case ["applied"]: possible = change.action == .patch ? applied.filter { $0 != nil } : applied
            default: possible.formUnion(applied)
            }
        }
        return possible
    }

    private static func shown(_ device: Facts.Device?) -> String {
        guard let device else { return "not registered" }
        let templates = device.templates.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return "{\(device.handle), user \(device.user ?? "none"), tags \(device.tags.sorted()), templates \(templates)}"
    }
}
