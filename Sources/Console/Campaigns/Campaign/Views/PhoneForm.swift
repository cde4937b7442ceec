import Pages
import PushModel

/// What phones are drawn for, as fields of the address: revision, language, platform, and sample values of a recipient
/// (`with.name=Ada`). Pure.
struct PhoneForm: Sendable {
    private(set) var form: FilterForm
    private(set) var locale: String?
    private(set) var platforms: [DevicePlatform] = []
    /// Values for the placeholders of the texts.
    let samples: SampleValues

    /// - Parameter placeholders: those that the texts have, in the spelling of the texts.
    init(_ fields: FormFields, placeholders: [String]) {
        form = FilterForm(fields)
        _ = form.text("revision", "Revision", hint: "empty: the newest")
        let locale = form.text("locale", "Language", hint: "such as fr; empty: all")
        let platform = form.choice("platform", "Platform", of: DevicePlatform.allCases.map(\.rawValue))
        platforms = platform.flatMap { DevicePlatform(rawValue: $0) }.map { [$0] } ?? []
        do throws(LocaleError) {
            self.locale = try locale.map { locale throws(LocaleError) in try LocaleTag(locale).text }
        } catch {
            form.refuse("locale", because: "\(error)")
        }
        // Names of fields are in lower case, and those of placeholders have no case.
        var names: [String: String] = [:]
        for name in placeholders { names[name.lowercased()] = names[name.lowercased()] ?? name }
        for name in SampleValues(fields).names { names[name] = names[name] ?? name }
        var values: [(name: String, value: String)] = []
        for (field, name) in names.sorted(by: { $0.key < $1.key }).prefix(SampleValues.most) {
            if let value = form.text(SampleValues.prefix + field, "{{\(name)}}", hint: "of a recipient") {
                values.append((field, value))
            }
        }
        samples = SampleValues(values)
        form.end()
    }
}
