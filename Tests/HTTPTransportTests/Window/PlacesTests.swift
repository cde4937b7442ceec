import Testing

@testable import HTTPTransport

@Suite struct PlacesTests {
    @Test func placesThatNoRequestUsesGoBack() async {
        let window = Window(limit: 8)
        window.release(0, answered: 8)
        do {
            let places = await window.places(upTo: 5)
            #expect(places.count == 5)
            #expect(window.taken == 5 && window.inFlight == 0)
            #expect(places.leaveNow(2) == 2)
        }
        #expect(window.taken == 2 && window.inFlight == 2)
        window.release(2, answered: 2)
        #expect(window.inFlight == 0)
    }

    @Test func givingBackTwiceChangesNothing() async {
        let window = Window(limit: 8)
        let places = await window.places(upTo: 1)
        places.giveBack()
        places.giveBack()
        #expect(window.taken == 0)
        #expect(await window.places(upTo: 0).count == 0)
        #expect(window.taken == 0)
    }
}
