"""What must never be wrong on a screen, whatever it shows: a line past the edge, a stray escape, a broken border."""

import re

from harness import UNSAFE
from wcwidth import wcwidth

# What an escape leaves behind when its first character was swallowed or shown as ^[.
LEFT_OVER = re.compile(r"\x1b|\^\[|\[\??\d+(?:;\d+)*[A-Za-z]|\]\d+;")
TOP = re.compile("─(?: .* )?─*")
ASCII_TOP = re.compile(r"-(?: .* )?-*")


def cells(line, columns=0):
    """One text for each column; empty where a wide character goes on. What combines stays with its base."""
    found = []
    for character in line:
        width = wcwidth(character)
        if width > 0:
            found += [character] + [""] * (width - 1)
        elif found:
            found[-1 if found[-1] else -2] += character
    return found + [" "] * (columns - len(found))


def faults(lines, columns, rows):
    """Everything that is wrong with the picture, in words."""
    found = []
    if len(lines) > rows:
        found.append(f"{len(lines)} lines on {rows}")
    grid = [cells(line, columns) for line in lines]
    found += [f"line {row} is {len(line)} wide" for row, line in enumerate(grid) if len(line) > columns]
    for row, line in enumerate(lines):
        if LEFT_OVER.search(line):
            found.append(f"a stray escape on line {row}: {line!r}")
        if UNSAFE.search(line):
            found.append(f"an unsafe character on line {row}: {line!r}")
    return found + (broken_borders(grid) if not found else [])


def broken_borders(grid):
    boxes, found = [], []
    for row, line in enumerate(grid):
        for column, cell in enumerate(line):
            if cell == "┌" or (
                cell == "+" and ASCII_TOP.match("".join(line[column + 1 :])) and not part_of(boxes, row, column)
            ):
                box = frame(grid, row, column)
                if box:
                    boxes.append(box)
                elif cell == "┌" or "".join(line[column : column + 3]) in ("+--", "+- "):
                    found.append(f"the frame that begins at line {row}, column {column} is not whole")
    for row, line in enumerate(grid):
        for column, cell in enumerate(line):
            if cell and cell in "┐└┘├┤" and not part_of(boxes, row, column):
                found.append(f"a {cell} belongs to no frame at line {row}, column {column}")
            if cell == "│" and not part_of(boxes, row, column):
                # A rule between two halves: it goes on, or meets the title line, the filter below it, the footer, a
                # notice, or a frame that lies on it.
                for neighbour, ends in ((row - 1, row <= 2), (row + 1, row >= len(grid) - 3)):
                    other = grid[neighbour][column] if 0 <= neighbour < len(grid) else ""
                    if not ends and other not in ("│", "─", "┬", "┴", "┼") and not part_of(boxes, neighbour, column):
                        found.append(f"a rule ends in nothing at line {row}, column {column}")
    return found


def part_of(boxes, row, column):
    return any(
        (row in (top, bottom) and left <= column <= right) or (column in (left, right) and top <= row <= bottom)
        for top, left, bottom, right in boxes
    )


def frame(grid, top, left):
    """The frame whose upper left corner is there, or nothing when a piece of it is missing."""
    ascii_lines = grid[top][left] == "+"
    upper_right, lower_left, lower_right, across, down = (
        ("+", "+", "+", "-", "|+") if ascii_lines else ("┐", "└", "┘", "─", "│├┤")
    )
    ends = [column for column in range(left + 1, len(grid[top])) if grid[top][column] == upper_right]
    for right in reversed(ends):
        between = "".join(grid[top][left + 1 : right])
        if not (ASCII_TOP if ascii_lines else TOP).fullmatch(between):
            continue
        for bottom in range(top + 1, len(grid)):
            if (
                grid[bottom][left] == lower_left
                and grid[bottom][right] == lower_right
                and set(grid[bottom][left + 1 : right]) <= {across, "┴"}
            ):
                return (top, left, bottom, right)
            if (
                grid[bottom][left] not in down
                or grid[bottom][right] not in down
                or not grid[bottom][left]
                or not grid[bottom][right]
            ):
                break
    return None


def begins(lines, rows):
    """Whether the first line is that of a page; a small screen may have left out the program's name for the title."""
    first = lines[0].strip()
    return bool(first) and (rows <= 10 or first.startswith("foyer"))
