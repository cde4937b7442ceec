import Pages

/// The pages beside the one with the phones: one send, the forms, tags, schedules, telemetry, registrations. Rendered as
/// they are asked for; nothing on them is live.
struct ToolPages: Sendable {
    let source: PageSource

    /// nil: the journal has no such send.
    func send(_ number: Int, at origin: String) -> String? {
        source.reports.report(number, at: origin).map { page("Send \(number)", nil, SendReportView($0), "detail") }
    }

    func missingSend(_ number: Int) -> String {
        page("Send \(number)", nil, MissingSendView(sendNumber: number), "missing-send")
    }

    func send(_ view: SendFormView) -> String { page("Send", .send, view, "send-form") }

    func phone(_ view: PhoneFormView) -> String { page("Add a phone", nil, view, "phone-form") }

    func tags(_ view: TagsView) -> String { page("Tags", .tags, view, "tags") }

    func schedules() -> String {
        page("Schedules", .schedules, SchedulesView(source), "schedules")
    }

    func telemetry() -> String { page("Telemetry", .telemetry, TelemetryView(source), "telemetry") }

    func registrations(_ hub: Hub?, _ fields: FormFields) -> String {
        page("Registrations", .registrations, RegistrationsView(source, hub, fields), "registrations")
    }

    private func page(_ title: String, _ place: NavLink.Place?, _ view: Any, _ template: String) -> String {
        PageTemplates.render(
            ToolView(
                pageTitle: title, pageInstance: source.instance, navLinks: NavLink.all(current: place),
                clock: source.clock, toolContent: PageTemplates.render(view, template)), "tool")
    }
}

/// The frame of a tool page.
private struct ToolView: Sendable {
    let pageTitle: String
    let pageInstance: String
    let navLinks: [NavLink]
    let clock: ClockView
    /// HTML made by our templates.
    let toolContent: String
}

struct MissingSendView: Sendable { let sendNumber: Int }
