extension Glyphs {
    /// The signs of what is under way, one after the other.
    package var spinner: [String] {
        isASCII ? ["|", "/", "-", "\\"] : ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
    }
}
