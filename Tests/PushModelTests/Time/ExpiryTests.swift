import Testing

@testable import PushModel

@Suite struct ExpiryTests {
    @Test(arguments: [
        ("2027-01-15T08:00:00Z", 1_800_000_000.0), ("2027-01-15T08:00:00.5Z", 1_800_000_000.5),
        ("2027-01-15 08:00:00", 1_800_000_000), ("2027-01-15T09:30+01:30", 1_800_000_000),
        ("2027-01-15", 1_799_971_200), ("1970-01-01T00:00:00Z", 0), ("2024-02-29T00:00:00Z", 1_709_164_800),
        ("9999-12-31T23:59:59.9999999Z", .infinity),
    ])
    func everyFormOfADateIsRead(text: String, seconds: Double) { #expect(Expiry(text)?.seconds == seconds) }

    @Test(arguments: [
        "", "soon", "2027-13-01", "2027-02-29", "2027-01-15T24:00:00Z", "2027-01-15T08:00:00ZZ", "2027-1-5",
        "2027-01-15T",
        "2027-01-15T08:00:00.Z", "2027-01-15T08:00:00.1234567890Z", "٢٠٢٧-01-15", "2027-01-15T08:00:00+99:00",
    ])
    func anotherTextIsNotADate(text: String) { #expect(Expiry(text) == nil) }
}
