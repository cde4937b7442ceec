import Logging

/// Says of a metadata value that it must not be shown: `"\(token, attributes: [Sensitivity.secret])"`.
public enum Sensitivity: Int64, Logger.MetadataValueAttributes.Attribute {
    /// The value prints as `•••`, whatever it holds.
    case secret
}
