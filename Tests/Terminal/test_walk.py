"""By keys through every place of the demo, on terminals of several kinds and sizes: nothing astray, no broken border,
no line past the edge."""

import pytest
from harness import until
from picture import begins, faults
from routes import ROUTES, Walker, own_keys, places

SIZES = [(80, 24), (40, 10), (200, 60)]
TERMINALS = {name: f"TERM={name}" for name in ("xterm-256color", "screen", "linux", "vt100")} | {
    "C locale": "LC_ALL=C LANG=C"
}
LEAVES = {"q", "Ctrl-C", "Ctrl-Z"}


def demo(pane, person, kind="", columns=80, rows=24):
    return pane(person, columns, rows).foyer("demo", shows="Accounts 11", prefix=kind)


def whole(screen, what):
    """The picture as it is, in which nothing is wrong. While it is being drawn anew it may be looked at once too
    early."""

    def look():
        columns, rows = int(screen.ask("pane_width")), int(screen.ask("pane_height"))
        lines = screen.drawn.rstrip("\n").split("\n")
        wrong[:] = faults(lines, columns, rows) if any(map(str.strip, lines)) else ["nothing is drawn"]
        # A line that a terminal had to continue on the next one is joined to it here.
        if not wrong and len(screen.tmux("capture-pane", "-p", "-J").rstrip("\n").split("\n")) < len(lines):
            wrong.append("a line went past the edge")
        # It may be cleared for another picture in between.
        text[:] = [screen.text]
        return not wrong and text[0].strip()

    wrong, text = [], []
    try:
        until(look)
    except AssertionError:
        raise AssertionError(f"{what}: {wrong} in\n{screen.drawn}") from None
    return text[0]


def test_every_place_of_the_key_tables_has_a_way_there():
    assert set(places()) <= set(ROUTES), "a place that no test walks to: add its route"


@pytest.mark.parametrize("kind", TERMINALS)
def test_every_place_is_whole(person, pane, kind):
    screen = demo(pane, person, TERMINALS[kind])
    title = screen.ask("pane_title")
    walker = Walker(screen)
    for place in ROUTES:
        screen.resize(80, 24)
        walker.home()
        walker.go(place)
        # The help tells no keys of its own: there F1 closes it.
        assert walker.place() == ("Accounts" if place.startswith("Help") else place)
        for columns, rows in SIZES:
            screen.resize(columns, rows)
            until(lambda: len(screen.lines) <= rows and max(map(len, screen.lines)) <= columns)
            # The terminal has its new size before the program has drawn anything for it.
            until(lambda: begins(screen.lines, rows), what=f"{place} drawn at {columns}x{rows} on {kind}")
            text = whole(screen, f"{place} at {columns}x{rows} on {kind}")
            until(lambda: begins(screen.lines, rows), what=f"the first line of\n{text}")
            if kind == "C locale":
                assert text.isascii(), text
        screen.resize(39, 10).wait("terminal too small: needs 40x10, has 39x10" if kind == "" else "terminal too small")
        whole(screen, f"{place}, too small")
    screen.resize(80, 24)
    walker.home()
    assert screen.ask("pane_title") == title
    assert screen.tmux("list-buffers") == "", "nothing was handed to the clipboard"
    screen.keys("q").back(0)


@pytest.mark.parametrize("columns, rows", [(80, 24), (40, 10)])
def test_every_key_leads_to_a_place_that_is_known_and_whole(person, pane, columns, rows):
    screen = demo(pane, person, "", columns, rows)
    walker = Walker(screen)
    for place in places():
        for name, key in own_keys(place):
            if name in LEAVES and place == "Accounts":
                continue
            walker.home()
            walker.go(place)
            screen.type(key)
            where = walker.place()
            assert where in ROUTES, f"{name} in {place} leads to {where!r}, to which there is no route"
            whole(screen, f"{name} in {place}")
    # One of the keys starts the agent.
    person.foyer("agent", "stop")
    walker.home()
    screen.keys("q").back(0)


@pytest.mark.parametrize("columns, rows", [(39, 10), (40, 9), (20, 5), (10, 2), (1, 1)])
def test_smaller_says_so(people, pane, columns, rows):
    screen = pane(people).foyer()
    screen.resize(columns, rows)
    words = f"terminal too small: needs 40x10, has {columns}x{rows}"
    if columns * rows >= 2 * len(words):
        until(lambda: words in " ".join(screen.text.split()), what=words)
    elif columns > 1:
        until(lambda: screen.text.strip() and words.startswith(screen.text.strip()[0]), what="its beginning")
    # A key must not answer a question that cannot be read.
    screen.type("xy")
    screen.resize(80, 24).wait("Accounts 3", gone=["too small"])
    assert len(people.accounts()) == 3
