/// What a person does about hubs, workers and doubts. The one list of it: `fanfare doctor` and the console say the same. Pure.
package enum Remedies {
    package static let noWorker = "Start one: fanfare run. Until then messages wait."
    package static let silentWorker = "The others rescue what it holds after one lease; if it runs, see its log."
    package static let cannotWrite =
        "Nothing is sent and nothing is lost until that is over. Make room on the database's disk, or see what its log says."
    package static let doubts = "Decide about each: fanfare doubt list"
    package static let differingSettings =
        "Run fanfare migrate up where the settings are right, and give them to the other workers."

    /// Of a hub that is not open.
    package static func state(of hub: SystemStatus.Hub) -> String {
        switch hub.state {
        case "gate closed": "It opens by itself; sooner with: fanfare hub open-gate \(hub.hub)"
        case "failing":
            "It is tried again by itself, at least every 30 s. Look at the network between here and the hub."
        case "no pass": "It is asked for again by itself, at least every minute. Look at the way from here to it."
        case "paused": "To send again: fanfare hub resume \(hub.hub)"
        default: "When that is mended: fanfare hub resume \(hub.hub)"
        }
    }

    /// Of a hub that no worker serves, and whose messages wait.
    package static func unserved(_ hub: SystemStatus.Hub) -> String {
        "Start a worker that has the hub in its settings, or stop the messages: fanfare message cancel --hub \(hub.hub)"
    }

    /// Of a hub whose oldest message has been due for too long.
    ///
    /// - Parameter isMoving: whether messages of it ended lately.
    package static func waiting(_ hub: SystemStatus.Hub, isMoving: Bool) -> String {
        if hub.state != "open" { return state(of: hub) }
        return isMoving
            ? "It is a long backlog. How long it takes: fanfare eta --hub \(hub.hub)"
            : "See the log of its workers; SIGUSR1 writes their state to it."
    }
}
