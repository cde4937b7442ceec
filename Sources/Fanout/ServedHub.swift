import HTTPTransport
import PushModel
import Providers
import Signing

/// One hub this worker posts to: what it is called, how to speak to it, and how much it takes.
public final class ServedHub: Sendable {
    /// Its number in `push.hub`.
    let id: Int16
    let settings: HubSettings
    let provider: any Provider
    let tokens: HubTokens
    /// Posts in flight, shared by the hub's lanes.
    let window: Window
    let gate = Gate()
    let pace = Pace()
    let keys = KeyWatch()

    public init(id: Int16, settings: HubSettings, provider: any Provider, tokens: HubTokens) {
        self.id = id
        self.settings = settings
        self.provider = provider
        self.tokens = tokens
        self.window = Window(limit: settings.window)
    }
}
