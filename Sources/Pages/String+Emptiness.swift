import Mustache

/// An empty text is no value: `{{#why}}` leaves out what stands in it, and `{{^why}}` shows it, as in JavaScript and most others. Without
/// this a section of an empty text is shown.
extension String: @retroactive MustacheCustomRenderable {
    public var renderText: String { self }
    public var isNull: Bool { isEmpty }
}
