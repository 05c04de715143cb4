import Terminal

/// Values of the machine that a report may contain; all others are left out, or are "another".
enum ReportLists {
    static let distributions = [
        "almalinux", "alpine", "altlinux", "amzn", "antergos", "arch", "archarm", "artix", "azurelinux", "bazzite",
        "bluefin", "cachyos", "centos", "chimera", "clear-linux-os", "debian", "deepin", "devuan", "elementary",
        "endeavouros", "fedora", "flatcar", "freedesktop", "garuda", "gentoo", "guix", "kali", "linuxmint", "mageia",
        "manjaro", "mariner", "neon", "nixos", "nobara", "ol", "opensuse", "opensuse-leap", "opensuse-microos",
        "opensuse-tumbleweed", "parrot", "photon", "pop", "postmarketos", "pureos", "raspbian", "rhel", "rocky", "sles",
        "sled", "slackware", "solus", "suse", "tails", "ubuntu", "vanilla", "void", "wolfi", "zorin",
    ]

    /// Words in kernel releases.
    static let kernelWords = [
        "amd64", "arm64", "aws", "azure", "bpo", "cloud", "default", "fc38", "fc39", "fc40", "fc41", "fc42", "fc43",
        "fc44", "el7", "el8", "el9", "el10", "gcp", "generic", "gke", "hardened", "hwe", "linuxkit", "lowlatency",
        "lts", "microsoft", "oem", "oracle", "pve", "raspi", "rc1", "rc2", "rc3", "rc4", "rc5", "rc6", "rc7", "rc8",
        "realtime", "rpi", "rt", "standard", "virt", "WSL2", "x86", "x86_64", "aarch64", "zen", "zen1", "arch1",
        "arch2", "cachyos", "xanmod1", "liquorix", "deb11", "deb12", "deb13", "deb14", "amzn2", "amzn2023",
    ]

    static let machines = [
        "x86_64", "aarch64", "armv7l", "armv6l", "i686", "riscv64", "ppc64le", "s390x", "loongarch64",
    ]

    /// Parts of terminal type names.
    static let terminalWords = [
        "xterm", "tmux", "screen", "linux", "alacritty", "kitty", "foot", "st", "rxvt", "unicode", "vte", "gnome",
        "konsole", "iTerm2", "iterm2", "wezterm", "ghostty", "contour", "eterm", "Eterm", "putty", "mintty", "cygwin",
        "hterm", "sun", "ansi", "vt52", "vt100", "vt102", "vt220", "vt320", "vt340", "vt420", "vt520", "dumb",
        "unknown", "mlterm", "terminator", "terminology", "nsterm", "mosh", "ms", "terminal", "xterms", "wsvt25", "rio",
        "termux", "256color", "16color", "88color", "8bit", "direct", "direct2", "direct16", "direct256", "truecolor",
        "color", "mono", "bce", "m", "s", "bs", "it", "extra", "basic", "common", "new", "old", "utf8", "color256",
    ]

    static let colorterms = ["truecolor", "24bit", "yes", "1", "gnome-terminal", "rxvt-xpm", "kmscon"]

    static let charsets = [
        "UTF-8", "ANSI_X3.4-1968", "US-ASCII", "ISO-8859-1", "ISO-8859-2", "ISO-8859-5", "ISO-8859-7", "ISO-8859-9",
        "ISO-8859-15", "KOI8-R", "KOI8-U", "EUC-JP", "EUC-KR", "EUC-TW", "GB2312", "GBK", "GB18030", "BIG5", "CP1251",
    ]

    static let themes = Theme.bundledNames

    /// The variables in the reference, and those that show a terminal, a desktop or a proxy.
    static let variables = [
        "FOYER_CONFIG", "FOYER_STORE", "FOYER_CLIENT", "FOYER_ACCOUNT", "FOYER_TENANT", "FOYER_AUTHORITY", "NO_COLOR",
        "ACCESSIBLE", "BROWSER",
        "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE",
        "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
        "WAYLAND_DISPLAY", "DISPLAY", "AZURE_CONFIG_DIR", "TERMINFO", "PAGER", "SSH_AUTH_SOCK", "INVOCATION_ID",
    ]
}
