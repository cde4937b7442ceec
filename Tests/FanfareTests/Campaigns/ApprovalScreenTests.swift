import Testing

@testable import Store
@testable import fanfare

/// What a reader sees before approving a revision.
@Suite struct ApprovalScreenTests {
    private static func screen(
        _ base: Int32?, asks: String = "two", standing: String? = "not approved", _ changes: [CampaignStore.Change],
        _ findings: [CampaignStore.Finding] = []
    ) -> String {
        ApprovalScreen(
            campaign: "spring",
            approval: .init(
                revision: 3, by: "anna", at: "2027-03-01T09:00:00.000Z", asks: asks, standing: standing, isSent: false,
                base: base, hash: "abc"),
            changes: changes, findings: findings
        ).text
    }

    @Test func theDifferenceIsShownWithWhatWasBefore() {
        #expect(
            Self.screen(
                2,
                [
                    .init(path: "content.en.title", before: #""Hello""#, after: #""Good morning""#),
                    .init(path: "rate", before: nil, after: "500"),
                    .init(path: "stopWhen.least", before: "10", after: nil),
                ]) == """
                    campaign spring, revision 3 by anna at 2027-03-01T09:00:00.000Z: asks for the approval of somebody else; not approved
                    changed since revision 2:
                      content.en.title
                        - "Hello"
                        + "Good morning"
                      rate
                        + 500
                      stopWhen.least
                        - 10
                    hash abc
                    """)
    }

    @Test(
        arguments: [
            (nil, 1, "no revision was approved before; it says:"), (2, 0, "it says what revision 2 says"),
            (3, 0, "nothing changed since then"), (3, 1, "changed since it was approved:"),
        ] as [(Int32?, Int, String)])
    func theSecondLineSaysWhatItIsComparedWith(base: Int32?, count: Int, line: String) {
        let text = Self.screen(base, Array(repeating: .init(path: "rate", before: "1", after: "2"), count: count))
        #expect(text.split(separator: "\n").dropFirst().first.map(String.init) == line)
    }

    @Test func whatTheCheckSaysStandsBelowTheChanges() {
        let text = Self.screen(
            2, [],
            [
                .init("info", "hub news", "about 1000 messages", hint: nil),
                .init("warning", "hub news", "12 recipients of them refused: too_large", hint: "Such as: en."),
            ])
        #expect(
            text.hasSuffix(
                """
                it says what revision 2 says
                a run of it:
                  hub news: about 1000 messages
                  warning: hub news: 12 recipients of them refused: too_large
                    Such as: en.
                hash abc
                """), "\(text)")
    }

    /// `StandardStreams.print` shows it: what is approved is what is sent, also the marks that nobody sees.
    @Test func aTextThatTurnsTheLineAroundIsShownAsItIs() {
        let text = Self.screen(2, [.init(path: "content.en.title", before: nil, after: "\"\u{202E}olleH\"")])
        #expect(text.visible.contains(#"+ "\u202eolleH""#))
    }
}
