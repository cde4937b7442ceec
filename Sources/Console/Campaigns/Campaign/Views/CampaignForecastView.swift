import Pages
import Store

/// What a run of the shown revision would do: the template `campaign-forecast`. Pure.
struct CampaignForecastView {
    struct Finding {
        let findingLevel: String
        let findingLook: String
        let findingAbout: String
        let findingText: String
        let findingHint: String?
    }

    struct Hub {
        let planHub: String
        let planNature: String
        let planFacts: [Fact]
    }

    struct Fact {
        let factTitle: String
        let factValues: [String]
    }

    /// Reading the audience takes longer than a page waits.
    let isPending: Bool
    let findings: [Finding]
    let hasFindings: Bool
    let checkProblem: String?
    let planHubs: [Hub]
    let hasPlan: Bool
    let planProblem: String?
    let planNotes: [String]

    /// nil: it could not be read, and a banner says why.
    init?(_ forecast: Part<CampaignForecast>) {
        isPending = forecast.trouble?.kind == .tookTooLong
        if forecast.value == nil, !isPending { return nil }
        findings = Self.sorted(forecast.value?.findings.value ?? []).map { finding in
            Finding(
                findingLevel: finding.level, findingLook: Self.look(of: finding).rawValue,
                findingAbout: finding.about, findingText: finding.finding, findingHint: finding.hint)
        }
        hasFindings = !findings.isEmpty
        checkProblem = forecast.value?.findings.problem
        let plan = forecast.value?.plan
        planHubs = (plan?.value?.hubs ?? []).map { hub in
            Hub(planHub: hub.name, planNature: hub.nature, planFacts: Self.facts(hub.facts))
        }
        hasPlan = !planHubs.isEmpty
        planProblem = plan?.problem
        planNotes = plan?.value?.notes.map(\.uppercasedFirst) ?? []
    }

    /// A fact of several lines has its title in front of the first alone.
    private static func facts(_ lines: [CampaignPlan.Fact]) -> [Fact] {
        var facts: [Fact] = []
        for line in lines {
            if line.title.isEmpty, let last = facts.popLast() {
                facts.append(Fact(factTitle: last.factTitle, factValues: last.factValues + [line.value]))
            } else {
                facts.append(Fact(factTitle: line.title, factValues: [line.value]))
            }
        }
        return facts
    }

    private static let levels = ["error", "warning", "info"]

    /// The worst first, each level in the order in which it was found.
    static func sorted(_ findings: [CampaignStore.Finding]) -> [CampaignStore.Finding] {
        levels.flatMap { level in findings.filter { $0.level == level } }
            + findings.filter { !levels.contains($0.level) }
    }

    private static func look(of finding: CampaignStore.Finding) -> StateLook {
        switch finding.level {
        case "error": .bad
        case "warning": .waits
        default: .off
        }
    }
}
