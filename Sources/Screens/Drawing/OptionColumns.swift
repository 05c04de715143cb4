import AppModel
import Console
import Terminal

/// The columns of a table of options for a width; below a minimum width there is no table.
struct OptionColumns {
    /// Pointer, box and sign.
    static let marks = 8
    let name: Int
    let explanation: Int
    let risk = 10
    let consent: Int

    init?(width: Int) {
        guard width >= 70 else { return nil }
        consent = width >= 100 ? 13 : 0
        name = min(34, width * 3 / 10)
        explanation = width - Self.marks - name - risk - consent
    }

    func heading(_ explained: String) -> [CellSpan] {
        let cells = [
            ("", Self.marks), ("permission", name), (explained, explanation), ("risk", risk),
            ("who consents", consent),
        ]
        return cells.filter { $0.1 > 0 }.map { text, columns in
            CellSpan(DisplayWidth.pad(DisplayWidth.clip(text, columns: columns - 1), columns: columns), .muted)
        }
    }
}
