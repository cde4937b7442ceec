import CommandLineTool

/// One piece of news for some categories, and the statement with which a backend enqueues it.
struct DemoScript: Sendable {
    let tags: [String]
    let texts: [DemoLanguage: DemoText]

    /// What stands in for a missing translation is what the hub's fallback says.
    func text(in language: DemoLanguage) -> DemoText {
        texts[language] ?? texts[.fallback] ?? DemoText(title: "", news: "")
    }

    /// One tag, or a tag expression: a phone that follows two of the categories is shown the story once.
    var target: String { tags.joined(separator: " || ") }

    /// Plain SQL with a row for every language, as it is run and as it is shown.
    var statement: String {
        let rows = DemoLanguage.allCases.compactMap { language in
            texts[language].map { text in
                """
                  ('news', '\(target)', '\(language.rawValue)',
                   '{"title": \(Self.json(text.title)),
                     "News": \(Self.json(text.news))}')
                """
            }
        }
        return "INSERT INTO push.message (hub, tag, locale, content) VALUES\n" + rows.joined(separator: ",\n") + ";"
    }

    /// A JSON string inside an SQL string.
    private static func json(_ text: String) -> String {
        JSONOutput.text(text).document.replacing(scalars: "'", with: "''")
    }
}

/// What a person reads on a phone.
struct DemoText: Sendable, Hashable {
    var title: String
    var news: String
}

extension DemoScript {
    /// Six statements for six categories. The first is for two of them, and the last has no Mandarin.
    static let all = [
        DemoScript(
            tags: ["World", "Politics"],
            texts: [
                .english: DemoText(
                    title: "Climate accord reached",
                    news: "After eleven days of talks, 190 nations agree to halve emissions by 2040."),
                .french: DemoText(
                    title: "Accord sur le climat",
                    news:
                        "Après onze jours de négociations, 190 pays s’engagent à réduire de moitié leurs émissions d’ici 2040."
                ),
                .mandarin: DemoText(title: "气候协议达成", news: "经过十一天谈判，190个国家同意在2040年前将排放量减半。"),
            ]),
        DemoScript(
            tags: ["Politics"],
            texts: [
                .english: DemoText(
                    title: "Budget passes by two votes", news: "The vote came at dawn, after an all-night sitting."),
                .french: DemoText(
                    title: "Le budget adopté de justesse",
                    news: "Deux voix d’avance à l’aube, après une nuit de débats."),
                .mandarin: DemoText(title: "预算案以两票优势通过", news: "议会彻夜辩论，黎明时分进行表决。"),
            ]),
        DemoScript(
            tags: ["Business"],
            texts: [
                .english: DemoText(
                    title: "Central banks cut rates",
                    news: "Frankfurt and Washington move on the same day, the first time since 2008."),
                .french: DemoText(
                    title: "Les banques centrales baissent leurs taux",
                    news: "Francfort et Washington agissent le même jour, une première depuis 2008."),
                .mandarin: DemoText(title: "两大央行同日降息", news: "法兰克福与华盛顿同一天行动，为2008年以来首次。"),
            ]),
        DemoScript(
            tags: ["Technology"],
            texts: [
                .english: DemoText(
                    title: "Charged in eight minutes",
                    news: "The first cars with solid-state batteries leave the plant in Nagoya."),
                .french: DemoText(
                    title: "Rechargée en huit minutes",
                    news: "Les premières voitures à batterie solide sortent de l’usine de Nagoya."),
                .mandarin: DemoText(title: "八分钟充满电", news: "首批固态电池汽车在名古屋下线。"),
            ]),
        DemoScript(
            tags: ["Science"],
            texts: [
                .english: DemoText(
                    title: "Water on a distant planet",
                    news: "A telescope sees rain clouds 124 light-years away."),
                .french: DemoText(
                    title: "De l’eau sur une exoplanète",
                    news: "Un télescope observe des nuages de pluie à 124 années-lumière."),
                .mandarin: DemoText(title: "系外行星上发现水", news: "望远镜在124光年外观测到雨云。"),
            ]),
        DemoScript(
            tags: ["Sports"],
            texts: [
                .english: DemoText(
                    title: "Marathon under two hours",
                    news: "1:59:51 in Berlin: the first official race below the mark."),
                .french: DemoText(
                    title: "Le marathon sous les deux heures",
                    news: "1 h 59 min 51 s à Berlin, une première en course officielle."),
            ]),
    ]
}
