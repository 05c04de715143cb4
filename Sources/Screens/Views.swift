import AppModel

/// The view of each feature. A feature with only a text, or a list with details, needs none of its own.
enum Views {
    static func of(_ feature: any Feature) -> any FeatureView {
        switch feature {
        case let feature as AccountPicker: AccountPickerView(picker: feature)
        case let feature as AccountDetails: AccountDetailsView(details: feature)
        case let feature as Acquisition where feature.hasFailed: TextPageView(feature: feature)
        case let feature as SignInForm: SignInFormView(form: feature)
        case let feature as SignInProgress: SignInProgressView(progress: feature)
        case let feature as TokenInspector: TokenInspectorView(inspector: feature)
        case let feature as ScopeConsent: ScopeConsentView(consent: feature)
        case let feature as Help: HelpView(help: feature)
        case let feature as CommandPalette: CommandPaletteView(palette: feature)
        case _ where feature.isList: TableView(feature: feature)
        default: PanelView(feature: feature)
        }
    }
}
