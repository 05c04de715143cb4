import AppModel

/// The view of each feature. A feature with only a text, or a list with details, needs none of its own.
enum Views {
    static func of(_ feature: any Feature, in context: Context) -> any FeatureView {
        of(feature, feature.page(in: context), context)
    }

    static func of(_ feature: any Feature, _ page: Page, _ context: Context) -> any FeatureView {
        switch feature {
        case let feature as AccountPicker: AccountPickerView(picker: feature, page: page, context: context)
        case is AccountDetails: AccountDetailsView(page: TextPageView(page: page, scroll: feature.scroll))
        case let feature as Acquisition where feature.hasFailed: TextPageView(page: page, scroll: feature.scroll)
        case let feature as SignInForm: SignInFormView(form: feature, page: page, context: context)
        case let feature as SignInProgress: SignInProgressView(progress: feature, page: page)
        case let feature as TokenInspector: TokenInspectorView(inspector: feature, page: page, context: context)
        case let feature as ScopeConsent: ScopeConsentView(consent: feature, page: page, context: context)
        case let feature as Help: HelpView(help: feature, title: page.title)
        case let feature as CommandPalette: CommandPaletteView(palette: feature, title: page.title)
        case _ where page.isList: TableView(page: page, scroll: feature.scroll)
        default: PanelView(page: page, scroll: feature.scroll)
        }
    }
}
