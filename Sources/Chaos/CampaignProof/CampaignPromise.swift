/// What a campaign promises its owner.
public enum CampaignPromise: String, Sendable, CaseIterable {
    case runIsDone = "the run is done, and nothing of it waits or is held"
    case oneMessageEach = "every recipient who is not suppressed has exactly one message"
    case suppressedGetNothing = "who is suppressed has no message and is not sent"
    case unreachableAreRejected = "whose tag breaks a rule is rejected and not sent"
    case everybodyElseIsSent = "every other recipient is accepted or in doubt"
    case nothingIsRepeated = "the hub took no recipient twice"
    case acceptedMeansTaken = "who is accepted was taken by the hub exactly once"
    case takenIsRecorded = "whom the hub took is accepted or in doubt"
    case textIsTheirOwn = "everybody gets their own text"
    case nobodyElseIsSent = "nobody is sent who is not in the audience"
    case doubtHasAPost =
        "who is in doubt has a post without an answer; of these, no more missed the hub than were in flight at the kills"
    case countsAgree = "push.run_progress, slices, tally, results and the hub's journal agree"
    case fewAreAhead = "at most 50,000 messages wait ahead of sending"
    case lostIsEmpty = "push.lost is empty"
}
