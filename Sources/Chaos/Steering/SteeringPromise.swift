/// What a person who steers runs is promised.
public enum SteeringPromise: String, Sendable, CaseIterable {
    case endsAsAsked = "every run ends as it was asked to, and nothing of it waits or is held"
    case oneMessageEach =
        "nobody has two messages of a run and a hub, and everybody who is not suppressed has one of a run that is done"
    case oneEndEach = "every message has ended, and in a run that is done nobody's was cancelled"
    case suppressedGetNothing = "who is suppressed has no message and is not sent"
    case nothingIsRepeated = "no hub took a recipient of a run twice"
    case acceptedMeansTaken = "who is accepted was taken by the hub"
    case takenIsRecorded = "whom the hub took is accepted or in doubt"
    case silenceIsKept = "nothing of a run is sent while it is paused, nor after it was cancelled"
    case nobodyElseIsSent = "nobody is sent who is not in the audience"
    case numbersAgree = "push.run_progress shows what the tables hold, at every look and at the end"
    case viewsOnlyRead = "a view does nothing but give its rows, or its run is paused with words"
    case lostIsEmpty = "push.lost is empty"
}
