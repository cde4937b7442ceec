import Pages
import PushModel
import Store

/// Phones that show a revision, in every language and on every platform: the template `campaign-phones`. What nobody would see comes
/// first. Pure.
struct CampaignPhonesView {
    struct Hub {
        let phonesHub: String
        /// What would not be sent.
        let phonesRefused: [String]
        let phonesRemarks: [String]
        let phonesBody: String?
        let phones: [CampaignPhoneView]
    }

    let phoneForm: FilterFormView
    let phoneHubs: [Hub]
    /// Why the texts cannot be read.
    let phonesProblem: String?
    /// How many phones are not drawn; nil: none.
    let phonesOmitted: String?

    /// Phones of a page: more are read by nobody, and each has its payload.
    static let most = 60

    /// - Parameter address: of the page, without fields.
    init(_ texts: Attempt<[CampaignTexts]>, _ form: PhoneForm, address: String) {
        phoneForm = FilterFormView(form.form, address: address)
        phonesProblem = texts.problem
        var left = Self.most
        var omitted = 0
        phoneHubs = (form.form.isReadable ? texts.value ?? [] : []).map { said in
            let previews = Previews(
                of: said.content, at: said.hub, properties: form.samples.json, locale: form.locale,
                platforms: form.platforms, templates: said.templates)
            let sorted = previews.all.filter { !$0.faults.isEmpty } + previews.all.filter(\.faults.isEmpty)
            let drawn = sorted.prefix(left)
            left -= drawn.count
            omitted += sorted.count - drawn.count + previews.leftOut
            return Hub(
                phonesHub: said.hub.name, phonesRefused: previews.refusals.map(\.uppercasedFirst),
                phonesRemarks: previews.remarks.map(\.uppercasedFirst),
                phonesBody: previews.largestBody.map {
                    "\(HumanFormat.grouped($0)) of at most \(HumanFormat.grouped(previews.bodyLimit)) bytes"
                },
                phones: drawn.enumerated().map { CampaignPhoneView($1, number: $0, of: said) })
        }
        phonesOmitted = omitted > 0 ? HumanFormat.grouped(omitted) : nil
    }
}
