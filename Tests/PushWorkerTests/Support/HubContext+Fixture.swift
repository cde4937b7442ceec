import Providers
import PushModel
import Signing
import Telemetry

@testable import PushWorker

extension HubContext {
    /// A hub that nobody posts to.
    static func make(_ id: Int32, _ settings: HubSettings, metrics: MetricsRegistry = MetricsRegistry()) throws
        -> HubContext
    {
        let connection = try ConnectionString(
            parsing: "Endpoint=sb://example.servicebus.windows.net/;SharedAccessKeyName=Send;SharedAccessKey=a2V5")
        return HubContext(
            id: id, settings: settings, provider: try NotificationHubs(connection: connection, hub: settings.hub),
            passes: HubTokens(
                base: connection.base, hub: settings.hub, primary: connection.signingKey, now: Clock.system.wall),
            metrics: metrics)
    }
}
