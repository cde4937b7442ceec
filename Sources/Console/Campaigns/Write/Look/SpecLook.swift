import Postgres
import PushModel
import Store

/// What a spec is, were it kept: what is wrong with it, what may be meant otherwise, and what phones show of it.
struct SpecLook: Sendable {
    /// What can be sent and is likely a mistake.
    struct Remark: Sendable, Equatable {
        var words: String
        var hint: String
    }

    /// One hub of the spec.
    struct Hub: Sendable {
        var previews: Previews
        /// Languages that have texts of their own.
        var languages: [String]
        /// Names that its texts fill in for each recipient.
        var placeholders: [String]
        /// How many devices each tag or expression of the audience had there when somebody counted; nil: nobody did.
        var reach: [(expression: String, known: KnownReach?)] = []
    }

    /// Phones of more hubs are not shown.
    private static let mostHubs = 10

    var problems: [SpecProblem] = []
    var remarks: [Remark] = []
    var hubs: [Hub] = []
    /// Hubs of the spec whose phones are not shown.
    var omittedHubs = 0
    /// Why it is not known.
    var troubles: [Trouble] = []

    /// Looks at a spec that is not kept.
    ///
    /// - Parameters:
    ///   - name: that it would get; nil: it has one already.
    ///   - scratch: a name that no campaign has.
    ///   - database: may change something, because it is kept and undone.
    static func at(
        _ spec: String, named name: String?, scratch: String, properties: String, _ database: Database
    ) async -> SpecLook {
        var look = SpecLook()
        let store = CampaignStore(database: database)
        var trial: CampaignStore.Trial?
        do {
            trial = try await store.tryOut(name, scratch: scratch, spec: spec, draft: false)
        } catch let error as DatabaseError {
            guard let problem = SpecProblem(error) else { return SpecLook(troubles: [Trouble("what is wrong", error)]) }
            look.problems = [problem]
            if hasContent(spec) {
                switch await draft(spec, scratch, store) {
                case .read(let shown): trial = shown
                case .unread(let trouble): look.troubles = [trouble]
                }
            }
        } catch {
            look.troubles = [Trouble("what is wrong", .other, "\(error)")]
        }
        guard let trial else { return look }
        if trial.isNameTaken {
            look.problems.append(
                SpecProblem(
                    words: "There is a campaign of this name.", hint: "Take another one, or edit that one.",
                    isOfName: true))
        }
        look.remarks = trial.remarks.map { Remark(words: $0.remark, hint: $0.hint) }
        await look.show(trial.texts, properties, database, counting: TypedAudience.expressions(in: spec))
        return look
    }

    /// Shows texts that are kept.
    ///
    /// - Parameter spec: that they are of.
    static func at(_ texts: [CampaignStore.Texts], of spec: String, _ database: Database) async -> SpecLook {
        var look = SpecLook()
        await look.show(texts, "{}", database, counting: TypedAudience.expressions(in: spec))
        return look
    }

    private mutating func show(
        _ texts: [CampaignStore.Texts], _ properties: String, _ database: Database, counting expressions: [String]
    ) async {
        omittedHubs = max(0, texts.count - Self.mostHubs)
        for said in texts.prefix(Self.mostHubs) {
            var templates: [PreviewTemplate] = []
            do {
                templates = try await KnownTemplates.templates(of: said.hub.name, in: database)
            } catch let error as DatabaseError {
                troubles.append(Trouble("templates of hub \(said.hub.name)", error))
            } catch {
                troubles.append(Trouble("templates of hub \(said.hub.name)", .other, "\(error)"))
            }
            hubs.append(
                Hub(
                    previews: Previews(
                        of: said.content, at: said.hub, properties: properties, templates: templates),
                    languages: said.content.languages, placeholders: said.content.placeholders,
                    reach: await reach(of: expressions, at: said.hub, database)))
        }
    }

    private mutating func reach(
        of expressions: [String], at hub: HubSettings, _ database: Database
    ) async -> [(expression: String, known: KnownReach?)] {
        guard !expressions.isEmpty, hub.kind.facts.keepsDevices else { return [] }
        do {
            let table = ReachTable(try await Reach(database: database).known(at: hub.name))
            return expressions.map { ($0, table[$0]) }
        } catch {
            troubles.append(Trouble("reach at hub \(hub.name)", error))
            return []
        }
    }

    /// What a spec with a mistake would show all the same; nil: it is shown when the mistake is mended.
    private static func draft(
        _ spec: String, _ scratch: String, _ store: CampaignStore
    ) async -> Part<CampaignStore.Trial?> {
        do {
            return .read(try await store.tryOut(nil, scratch: scratch, spec: spec, draft: true))
        } catch let error as DatabaseError {
            return SpecProblem(error) == nil ? .unread(Trouble("phones", error)) : .read(nil)
        } catch {
            return .unread(Trouble("phones", .other, "\(error)"))
        }
    }

    /// Whether there is anything to show.
    static func hasContent(_ spec: String) -> Bool {
        // What is no JSON has none.
        let content = (try? SpecText(spec))?.root.members?.first { $0.name == "content" }
        return content?.node.members?.isEmpty == false
    }
}
