/// What a person may be called in `push.person`: the rule of `push_internal.is_name_of_person`. Pure.
package enum PersonName {
    /// Completes "must be …".
    package static let rule = "1 to 200 visible characters with single blanks between words, and not \"schedule\""

    /// `schedule` starts runs by itself, so it is no person.
    package static func isOne(_ text: String) -> Bool {
        VisibleText.isOne(text, upTo: 200) && text != "schedule"
    }
}
