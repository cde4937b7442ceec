import PushModel
import Testing

@testable import Providers

@Suite struct NotificationFormatTests {
    @Test(arguments: HubKind.notificationHubs.facts.formats)
    func everyFormatOfARowCanBeSent(format: String) {
        #expect(NotificationFormat(named: format)?.rawValue == format)
    }
}
