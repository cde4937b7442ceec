import Pages
import PushModel

/// What somebody typed to sign in.
struct SignInForm: Sendable {
    /// Without blanks around it, which keyboards of phones add.
    let name: String
    let password: String
    /// Where to go afterwards. nil: to the first page.
    let to: String?

    init(_ body: String, below basePath: String) {
        let fields = FormFields(body[...])
        name = (fields["name"] ?? "").split(scalar: " ").joined(separator: " ")
        password = fields["password"] ?? ""
        to = LocalPath.checked(fields["to"], below: basePath)
    }
}
