extension String {
    /// A sentence of a question holds no more of a value than this.
    var clipped: String { count > 120 ? prefix(119) + "…" : self }
}
