import Pages
import Testing

@Suite struct FormFieldsTests {
    @Test(arguments: [
        ("a=1&b=2", "a", "1"), ("a=1&b=2", "b", "2"), ("a=1&a=2", "a", "1"), ("A=1", "a", "1"), ("b=1", "a", nil),
        ("a", "a", nil), ("a=", "a", nil), ("a=+%20", "a", nil), ("a=x+y%2Bz", "a", "x y+z"), ("a=b=c", "a", "b=c"),
        ("a=%26%3D", "a", "&="), ("a=50%", "a", "50%"), ("a=%FF+", "a", "%FF "), ("&&a=1&", "a", "1"), ("", "a", nil),
        // Marks that share a character with what stands beside them are marks to a browser.
        ("x=1\u{600}&a=2", "a", "2"), ("a=1&\u{301}b=2", "a", "1"),
    ])
    func aFieldIsReadAsABrowserWritesIt(form: String, name: String, value: String?) {
        #expect(FormFields(form[...])[name] == value)
    }

    @Test func theNamesAreThereToBeLookedAt() {
        #expect(FormFields("B=1&a=&b=2&c").names == ["b", "a", "b"])
    }
}
