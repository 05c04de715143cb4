/// The theme files of this folder, inside the binary: they are there whatever is installed.
package enum BundledThemes {
    package static let names = [
        "default", "high-contrast", "solarized-dark", "solarized-light", "nord", "gruvbox", "monochrome",
        "colour-blind",
    ]

    /// The bytes of the file with that name; nil when there is none.
    package static func file(_ name: String) -> [UInt8]? {
        switch name {
        case "default": PackageResources.default_toml
        case "high-contrast": PackageResources.high_contrast_toml
        case "solarized-dark": PackageResources.solarized_dark_toml
        case "solarized-light": PackageResources.solarized_light_toml
        case "nord": PackageResources.nord_toml
        case "gruvbox": PackageResources.gruvbox_toml
        case "monochrome": PackageResources.monochrome_toml
        case "colour-blind": PackageResources.colour_blind_toml
        default: nil
        }
    }
}
