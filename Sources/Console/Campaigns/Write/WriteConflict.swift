/// What somebody else saved since a form was begun.
struct WriteConflict: Sendable {
    /// The newest revision. The form is written on it from here on, so saving it again replaces what the other one saved.
    var revision: Int32
    /// nil: the name was free when the form was begun.
    var base: Int32?
    /// What the other one changed, by path; nil: the specs cannot be compared.
    var changes: [SpecChange]?
}
