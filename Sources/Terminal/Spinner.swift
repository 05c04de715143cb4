extension Glyphs {
    /// The animation frames of a running operation.
    package var spinner: [String] {
        isASCII ? ["|", "/", "-", "\\"] : ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
    }
}
