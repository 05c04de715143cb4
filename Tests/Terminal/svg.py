"""A terminal's screen as an SVG picture: the same screen gives the same bytes. Lines and blocks are drawn as shapes,
so that they meet whatever font a reader has."""

from xml.sax.saxutils import escape

CELL, LINE, MARGIN, SIZE = 8.4, 18, 14, 14
GROUND, INK = "#1b1e25", "#d7dae0"
# The sixteen colours of a terminal, as pyte names them; the ones of a default theme show as these.
COLOURS = {
    "black": "#1b1e25",
    "red": "#e06c75",
    "green": "#8cc570",
    "brown": "#e0b86a",
    "blue": "#6fa8ef",
    "magenta": "#c78ae0",
    "cyan": "#5fbcc4",
    "white": "#d7dae0",
    "brightblack": "#7f8794",
    "brightred": "#f08a92",
    "brightgreen": "#a6dc8a",
    "brightbrown": "#f2cf86",
    "brightyellow": "#f2cf86",
    "brightblue": "#93c1ff",
    "brightmagenta": "#dba6ef",
    "brightcyan": "#82d8df",
    "brightwhite": "#ffffff",
}
# The arms of a line: up, right, down, left.
ARMS = {
    "─": "rl",
    "│": "ud",
    "┌": "rd",
    "┐": "dl",
    "└": "ur",
    "┘": "ul",
    "├": "urd",
    "┤": "udl",
    "┬": "rdl",
    "┴": "url",
    "┼": "urdl",
}
# Left, top, width and height in parts of the cell.
BLOCKS = {"█": (0, 0, 1, 1), "▀": (0, 0, 1, 0.5), "▄": (0, 0.5, 1, 0.5), "▌": (0, 0, 0.5, 1), "▐": (0.5, 0, 0.5, 1)}


def render(rows, title):
    """`rows` holds a list of cells for each row, as pyte keeps them; blinking stands for dim, which pyte does not
    know."""
    columns = max(map(len, rows))
    width, height = round(columns * CELL + 2 * MARGIN, 1), len(rows) * LINE + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="{escape(title)}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="{GROUND}"/>',
        "<g font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace\" "
        f'font-size="{SIZE}" xml:space="preserve">',
    ]
    for number, row in enumerate(rows):
        parts += grounds(row, number) + shapes(row, number) + texts(row, number)
    return "\n".join([*parts, "</g>", "</svg>", ""])


def colours(cell):
    front, back = named(cell.fg, INK), named(cell.bg, None)
    return (back or GROUND, front) if cell.reverse else (front, back)


def named(colour, otherwise):
    return otherwise if colour == "default" else COLOURS.get(colour) or "#" + colour


def runs(row, key):
    """Neighbours that look alike, as first column and cells."""
    begin = 0
    for column in range(1, len(row) + 1):
        if column == len(row) or key(row[column]) != key(row[begin]):
            yield begin, row[begin:column]
            begin = column


def x(column):
    return round(MARGIN + column * CELL, 2)


def grounds(row, number):
    top = MARGIN + number * LINE
    return [
        f'<rect x="{x(column)}" y="{top}" width="{round(len(run) * CELL, 2)}" height="{LINE}" '
        f'fill="{colours(run[0])[1]}"/>'
        for column, run in runs(row, lambda cell: colours(cell)[1])
        if colours(run[0])[1]
    ]


def shapes(row, number):
    found, top = [], MARGIN + number * LINE
    for column, run in runs(row, lambda cell: (cell.data, colours(cell)[0], cell.blink)):
        cell, fill = run[0], colours(run[0])[0]
        faint = ' opacity="0.6"' if cell.blink else ""
        if cell.data in BLOCKS:
            left, upper, wide, high = BLOCKS[cell.data]
            for start, across in [(column, len(run))] if wide == 1 else [(column + at, wide) for at in range(len(run))]:
                found.append(
                    f'<rect x="{round(x(start) + left * CELL, 2)}" y="{top + upper * LINE}" '
                    f'width="{round(across * CELL, 2)}" '
                    f'height="{high * LINE}" fill="{fill}"{faint} shape-rendering="crispEdges"/>'
                )
        elif cell.data == "░":
            found.append(
                f'<rect x="{x(column)}" y="{top + 2}" width="{round(len(run) * CELL, 2)}" height="{LINE - 4}" '
                f'fill="{fill}" opacity="0.25"/>'
            )
        elif cell.data in ARMS:
            for at in range(len(run)) if cell.data != "─" else [0]:
                across, down = round(x(column + at) + CELL / 2, 2), top + LINE / 2
                length = len(run) * CELL if cell.data == "─" else CELL
                ends = {
                    "u": f"V{top}",
                    "d": f"V{top + LINE}",
                    "l": f"H{x(column + at)}",
                    "r": f"H{round(x(column + at) + length, 2)}",
                }
                path = "".join(f"M{across} {down}{ends[arm]}" for arm in ARMS[cell.data])
                found.append(f'<path d="{path}" stroke="{fill}" fill="none"{faint}/>')
    return found


def texts(row, number):
    found, base = [], MARGIN + number * LINE + 13.5

    def key(cell):
        return (colours(cell)[0], cell.bold, cell.blink, cell.data in BLOCKS or cell.data in ARMS or cell.data == "░")

    for column, run in runs(row, key):
        if key(run[0])[3]:
            continue
        for start, words in pieces(column, run):
            look = (' font-weight="bold"' if run[0].bold else "") + (' opacity="0.65"' if run[0].blink else "")
            wide = sum(1 for cell in run[start - column : start - column + words[1]])
            found.append(
                f'<text x="{x(start)}" y="{base}" fill="{colours(run[0])[0]}"{look} '
                f'textLength="{round(wide * CELL, 2)}" '
                f'lengthAdjust="spacingAndGlyphs">{escape(words[0])}</text>'
            )
    return found


def pieces(column, run):
    """Words that stand together; two spaces part them, so that no font can push a column out of line."""
    begin, cells = None, [cell.data for cell in run] + [" ", " "]
    for at, text in enumerate(cells):
        if begin is None and text.strip():
            begin = at
        elif begin is not None and text == " " and cells[at + 1 : at + 2] in ([" "], []):
            yield column + begin, ("".join(cells[begin:at]), at - begin)
            begin = None
