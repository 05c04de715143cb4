// Report: the content of a bug report. Everything in it passes through ReportWord, which only lets known words through.
// It contacts no provider, prompts for nothing, and marks what cannot be read. Nothing here may throw: a report is
// needed most when much is broken.

import CommandSupport
import FoundationEssentials
import Identity

struct Report {
    let options: TokenOptions
    let environment: ProcessEnvironment
    let included: Set<ReportInclusion>
    /// With the settings file, or without settings if it cannot be read.
    let session: CommandContext?
    let settingsFailure: Failure?

    init(_ options: TokenOptions, _ environment: ProcessEnvironment, including included: Set<ReportInclusion>) {
        var options = options
        options.neverAsks = true
        self.options = options
        self.environment = environment
        self.included = included
        let path = CommandContext.settingsPlace(options, environment).path
        do throws(Failure) {
            session = try CommandContext(options, environment: environment)
            settingsFailure = nil
        } catch {
            session = try? CommandContext(options, environment: environment, settings: Settings.none(path))
            settingsFailure = error
        }
    }

    func value(at now: Date) async -> ReportValue {
        ReportValue(
            ("about", about(now)), ("versions", versions), ("system", system), ("terminal", terminal),
            ("environment", variables), ("settings", settings), ("stores", stores), ("checks", await checks()),
            ("agent", agent), ("broker", broker), ("programs", programs), ("failures", failures),
            ("refusedToPrograms", refusals))
    }

    private func about(_ now: Date) -> ReportValue {
        ReportValue(
            ("made", .time(now)),
            ("includes", .list(ReportInclusion.allCases.filter(included.contains).map { .word(ReportWord($0)) })),
            ("secrets", "never included"))
    }
}
