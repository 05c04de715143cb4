import Keys

/// All features. To add one, create its folder and its line here.
package enum Registry {
    /// In the order of the manual.
    private static let features: [any Feature.Type] = [
        AccountPicker.self, AccountDetails.self, SignInForm.self, ClientMenu.self, SignInProgress.self,
        TokenInspector.self, ScopeConsent.self, Acquisition.self, RemovalConfirmation.self, Removal.self, Help.self,
        ThemeChooser.self,
        DoctorPage.self, ActivityPage.self, SettingsPage.self, StoresPage.self, AgentPage.self, ProgramsPage.self,
        SetupChange.self, FailuresPage.self, CommandPalette.self, CopyMenu.self,
    ]

    static let pages: [any GlobalFeature.Type] = [
        ActivityPage.self, FailuresPage.self, DoctorPage.self, SettingsPage.self, StoresPage.self, AgentPage.self,
        ProgramsPage.self, ThemeChooser.self,
    ]

    package static func opensPage(_ command: Command) -> Bool { pages.contains { $0.binding.command == command } }

    /// Keys available wherever letters are neither text nor an answer.
    private static let tools =
        Tab.allCases.map(\.binding) + [
            KeyBinding([.character(":")], .palette, "", "commands; run one by its name")
        ] + pages.map { $0.binding } + [
            KeyBinding([.character("%")], .toggleMouse, "", "mouse on or off"),
            KeyBinding([.character("y")], .copyMenu, "copy…", "copy; names, identifiers, a report"),
        ]

    /// The default keys of every context.
    package static let keyTables =
        (features.flatMap { $0.keyTables(tools) } + [
            KeyTable(.search, "Search", KeyBinding.search), KeyTable(.line, "Text input", KeyBinding.line),
        ]).map { KeyTable($0.context, $0.title, $0.bindings + KeyBinding.everywhere) }

    /// The keys of a context with the user's changes.
    static func keys(_ context: KeyContext, _ changes: KeyChanges) -> KeyTable {
        changes.applied(to: keyTables.first { $0.context == context } ?? KeyTable(context, "", KeyBinding.everywhere))
    }

    /// Every command by its name in the settings.
    package static let commands = Set(keyTables.flatMap(\.bindings).map(\.command))
}
