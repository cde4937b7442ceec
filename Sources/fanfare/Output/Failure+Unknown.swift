import CommandLineTool
import Configuration
import PushModel

extension Failure {
    /// A hub that does not exist: names the nearest one, or all that exist.
    ///
    /// - Parameters:
    ///   - what: cannot be done.
    ///   - all: begins the list of all.
    static func unknown(
        hub name: String, among known: [String], _ what: String, because why: String, all: String, none: String
    ) -> Failure {
        let near = DidYouMean.nearest(to: name, in: known).map { "Did you mean \($0)?" }
        let list = known.isEmpty ? none : "\(all): \(known.joined(separator: ", "))."
        return Failure(what, because: why, hint: near ?? list, status: .badInput)
    }

    static func unknown(campaign name: String, _ what: String) -> Failure {
        Failure(what, because: "there is no such campaign", hint: "fanfare campaign list", status: .badInput)
    }
}

extension Settings {
    /// - Parameter what: cannot be done without the hub.
    /// - Throws: `Failure` when there is no such hub.
    func hub(_ name: String, orCannot what: String) throws(Failure) -> HubConfiguration {
        if let hub = hubs[name] { return hub }
        throw .unknown(
            hub: name, among: hubs.keys.sorted(), "cannot \(what)", because: "the settings have no such hub",
            all: "They have",
            none: "They have none.")
    }
}
