// ncurses for Swift, which cannot import its globals, macros and variadic functions, or WINDOW if it is opaque. Only
// ncurses itself keeps state.
#ifndef FOYER_CNCURSES_SHIM_H
#define FOYER_CNCURSES_SHIM_H

#ifndef _XOPEN_SOURCE_EXTENDED
#define _XOPEN_SOURCE_EXTENDED 1
#endif
#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>

// term.h defines short names as macros, which would conflict with other headers.
#undef lines
#undef columns
#undef tab
#undef bell

typedef struct foyer_screen foyer_screen;

enum foyer_open_result { foyer_open_ok, foyer_open_unknown_terminal, foyer_open_no_cursor, foyer_open_failed };

// Uses the environment's character set. If it requests UTF-8 in a missing locale, uses C.UTF-8, so that containers
// without locales show accents.
static inline bool foyer_take_locale(const char *asked) {
    if (!setlocale(LC_CTYPE, "") || (strcmp(nl_langinfo(CODESET), "UTF-8") != 0 && asked)) {
        size_t length = asked ? strlen(asked) : 0;
        if ((length >= 5 && strcasecmp(asked + length - 5, "UTF-8") == 0) ||
            (length >= 4 && strcasecmp(asked + length - 4, "utf8") == 0)) {
            setlocale(LC_CTYPE, "C.UTF-8");
        }
    }
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static inline bool foyer_window_size(int *rows, int *columns) {
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 && ioctl(STDIN_FILENO, TIOCGWINSZ, &size) != 0) return false;
    *rows = size.ws_row;
    *columns = size.ws_col;
    return size.ws_row > 0 && size.ws_col > 0;
}

// Opens the terminal of standard input separately, for non-blocking reads. ncurses checks for input and then blocks to
// read it, which would hang the program if another reader took it or a sequence is incomplete. Standard input itself is
// shared with the shell and must stay blocking.
static inline FILE *foyer_input(void) {
    struct stat ours;
    unsigned int device = 0;
    int file = open("/dev/tty", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) return stdin;
    bool is_same = fstat(STDIN_FILENO, &ours) == 0 && ioctl(file, TIOCGDEV, &device) == 0 && ours.st_rdev == device;
    FILE *input = is_same ? fdopen(file, "r") : NULL;
    if (input == NULL) {
        close(file);
        return stdin;
    }
    return input;
}

// Uses newterm, as initscr ends the process if TERM is unknown. Ignores LINES and COLUMNS. The window size is used only
// if the caller found it plausible, as ncurses allocates memory for it. Without a type, TERM is used.
static inline enum foyer_open_result foyer_open(foyer_screen **screen, const char *type, bool window_size_is_sane) {
    int error = 0;
    if (setupterm((char *)type, STDOUT_FILENO, &error) != OK || error != 1) return foyer_open_unknown_terminal;
    char *cup = tigetstr("cup");
    if (cup == NULL || cup == (char *)-1) return foyer_open_no_cursor;
    use_env(FALSE);
    use_tioctl(window_size_is_sane);
    FILE *input = foyer_input();
    SCREEN *made = newterm((char *)type, stdout, input);
    if (made == NULL) {
        if (input != stdin) fclose(input);
        return foyer_open_failed;
    }
    set_term(made);
    *screen = (foyer_screen *)made;
    return foyer_open_ok;
}

// The character set of the current locale.
static inline const char *foyer_charset(void) { return nl_langinfo(CODESET); }

// The number of colors in the description of a terminal type, without opening the terminal: -1 for none, -2 without a
// description.
static inline int foyer_described_colors(const char *type) {
    int error = 0;
    if (setupterm((char *)type, STDOUT_FILENO, &error) != OK || error != 1) return -2;
    int colors = tigetnum("colors");
    del_curterm(cur_term);
    return colors;
}

// A string of the terminal's description; NULL if missing, or before foyer_open.
static inline const char *foyer_capability(const char *name) {
    char *value = tigetstr((char *)name);
    return value == (char *)-1 ? NULL : value;
}

static inline void foyer_modes(void) {
    set_escdelay(25);
    raw();
    noecho();
    nonl();
    intrflush(stdscr, FALSE);
    keypad(stdscr, TRUE);
    meta(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    scrollok(stdscr, FALSE);
    leaveok(stdscr, FALSE);
    // Mouse reports are read unparsed: ncurses would wait for the end of a click, or forever for events outside its
    // mask.
    define_key(NULL, KEY_MOUSE);
    // So are focus reports, which some descriptions have as keys.
    define_key("\033[I", 0);
    define_key("\033[O", 0);
}

// The number of colors, 0 without; the default foreground and background remain color -1.
static inline int foyer_start_color(void) {
    if (!has_colors() || start_color() != OK) return 0;
    if (use_default_colors() != OK) return 0;
    return COLORS;
}

static inline int foyer_pairs(void) { return COLOR_PAIRS; }

static inline bool foyer_init_pair(int pair, int foreground, int background) {
#if defined(NCURSES_EXT_COLORS) && NCURSES_EXT_COLORS
    return init_extended_pair(pair, foreground, background) == OK;
#else
    return pair < 32767 && init_pair((short)pair, (short)foreground, (short)background) == OK;
#endif
}

enum { foyer_bold = 1, foyer_underline = 2, foyer_reverse = 4, foyer_dim = 8 };

static inline void foyer_set_attributes(unsigned flags, int pair) {
    attr_t attributes = A_NORMAL;
    if (flags & foyer_bold) attributes |= A_BOLD;
    if (flags & foyer_underline) attributes |= A_UNDERLINE;
    if (flags & foyer_reverse) attributes |= A_REVERSE;
    if (flags & foyer_dim) attributes |= A_DIM;
#if defined(NCURSES_EXT_COLORS) && NCURSES_EXT_COLORS
    wattr_set(stdscr, attributes, 0, &pair);
#else
    wattr_set(stdscr, attributes, (short)pair, NULL);
#endif
}

static inline void foyer_move(int row, int column) { wmove(stdscr, row, column); }

// In the last cell of the screen, ncurses returns ERR because the cursor cannot advance, but writes the cell.
static inline void foyer_add(const uint32_t *text, int count) {
    waddnwstr(stdscr, (const wchar_t *)text, count);
}

// wchar.h declares it only for X/Open, and may have been included without that before.
extern int wcwidth(wchar_t character);
static inline int foyer_width(uint32_t scalar) { return wcwidth((wchar_t)scalar); }

static inline void foyer_add_line(int piece, bool wide) {
    if (wide) {
        const cchar_t *symbol = WACS_HLINE;
        switch (piece) {
        case 1: symbol = WACS_VLINE; break;
        case 2: symbol = WACS_ULCORNER; break;
        case 3: symbol = WACS_URCORNER; break;
        case 4: symbol = WACS_LLCORNER; break;
        case 5: symbol = WACS_LRCORNER; break;
        case 6: symbol = WACS_LTEE; break;
        case 7: symbol = WACS_RTEE; break;
        case 8: symbol = WACS_TTEE; break;
        case 9: symbol = WACS_BTEE; break;
        case 10: symbol = WACS_PLUS; break;
        default: break;
        }
        wadd_wch(stdscr, symbol);
        return;
    }
    chtype symbol = ACS_HLINE;
    switch (piece) {
    case 1: symbol = ACS_VLINE; break;
    case 2: symbol = ACS_ULCORNER; break;
    case 3: symbol = ACS_URCORNER; break;
    case 4: symbol = ACS_LLCORNER; break;
    case 5: symbol = ACS_LRCORNER; break;
    case 6: symbol = ACS_LTEE; break;
    case 7: symbol = ACS_RTEE; break;
    case 8: symbol = ACS_TTEE; break;
    case 9: symbol = ACS_BTEE; break;
    case 10: symbol = ACS_PLUS; break;
    default: break;
    }
    waddch(stdscr, symbol);
}

static inline void foyer_cursor(int visible) { curs_set(visible); }
static inline void foyer_show(void) { wnoutrefresh(stdscr); doupdate(); }
static inline void foyer_clear(void) { werase(stdscr); }
static inline void foyer_repaint(void) { clearok(stdscr, TRUE); }
static inline void foyer_resize(int rows, int columns) { resizeterm(rows, columns); }
static inline void foyer_leave(void) { endwin(); }
// Other programs may have changed the modes.
static inline void foyer_return(void) { reset_prog_mode(); }
static inline void foyer_close(foyer_screen *screen) { endwin(); delscreen((SCREEN *)screen); }

enum foyer_read_kind { foyer_read_none, foyer_read_scalar, foyer_read_key };

static inline enum foyer_read_kind foyer_read(uint32_t *value) {
    wint_t got = 0;
    switch (wget_wch(stdscr, &got)) {
    case OK: *value = (uint32_t)got; return foyer_read_scalar;
    case KEY_CODE_YES: *value = (uint32_t)got; return foyer_read_key;
    default: return foyer_read_none;
    }
}

// KEY_F is a macro with an argument.
static inline int foyer_function_key(int code) { return code > KEY_F(0) && code <= KEY_F(12) ? code - KEY_F(0) : 0; }

#endif
