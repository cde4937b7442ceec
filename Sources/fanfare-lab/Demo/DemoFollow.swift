import CommandLineTool
import HubEmulator

/// Stays up after the story: prints what arrives at the hub, and who is shown what.
struct DemoFollow: Sendable {
    let environment: DemoEnvironment
    let style: TerminalStyle

    var invitation: String {
        """

        \(style.bold("It stays up until Ctrl-C.")) In another terminal:

           \(style.cyan(environment.psql))

        and there, for instance:

           \(style.cyan("INSERT INTO push.message (hub, tag, locale, content) VALUES"))
           \(style.cyan(#"  ('news', 'Sports', 'en', '{"title": "Hello", "News": "This row was a push."}');"#))
           \(style.cyan("SELECT * FROM push.message_status ORDER BY id DESC LIMIT 1;"))

        What a phone has got, and everything the hub was sent:

           \(style.cyan(environment.inbox(of: DemoPhone.all[6].id)))
           \(style.cyan("curl -s http://127.0.0.1:\(environment.emulator.port ?? 0)/_emulator/journal"))

        What arrives is shown here:

        """
    }

    /// Until the task is cancelled.
    func printEverything() async throws {
        var number = environment.emulator.journal().last?.number ?? 0
        while true {
            for entry in environment.emulator.journal(after: number) {
                number = entry.number
                try StandardStreams.print(SendLine(entry).text)
                for phone in DemoPhone.all {
                    let inbox = try environment.emulator.inbox(of: phone.id, at: "breaking-news")
                    for push in inbox.reversed().prefix(while: { $0.number >= entry.number })
                    where push.number == entry.number {
                        let text = [push.alert?.title, push.alert?.body].compactMap(\.self).joined(separator: " — ")
                        try StandardStreams.print(
                            "              \(phone.owner.padded(to: 7)) \(text.onOneLine.clipped(to: 78))")
                    }
                }
            }
            // Ends early only by cancellation, and then there is nothing to print any more.
            guard (try? await Task.sleep(for: .milliseconds(50))) != nil else { return }
        }
    }
}
