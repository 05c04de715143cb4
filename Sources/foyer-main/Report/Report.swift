// Report: what somebody puts into a report of a problem. Everything in it goes through ReportWord, which lets through
// what is on a list, and nothing else. It asks no provider, no person and no password; what cannot be read is said to
// be so. Nothing here may throw: a report is wanted most where much is broken.

import CommandSupport
import FoundationEssentials
import Identity

/// Collects the report.
struct Report {
    let options: TokenOptions
    let environment: ProcessEnvironment
    let included: Set<ReportInclusion>
    /// With the settings of the file, or without any where these cannot be read.
    let session: CommandContext?
    /// Why the settings cannot be read.
    let settingsFailure: Failure?

    /// - Parameter included: what is to be in it besides.
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
