#include "HelpPages.h"

#include <string.h>

// #embed is of C23; every clang that Swift 6 comes with has it.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char keys[] = {
#embed "../foyer/foyer.docc/Keys.md"
};
static const unsigned char settings[] = {
#embed "../foyer/foyer.docc/Settings.md"
};
static const unsigned char stores[] = {
#embed "../foyer/foyer.docc/Stores.md"
};
static const unsigned char exit_statuses[] = {
#embed "../foyer/foyer.docc/ExitStatuses.md"
};
static const unsigned char scripting[] = {
#embed "../foyer/foyer.docc/Scripting.md"
};
static const unsigned char programs[] = {
#embed "../foyer/foyer.docc/Programs.md"
};
static const unsigned char agent[] = {
#embed "../foyer/foyer.docc/Agent.md"
};
static const unsigned char broker[] = {
#embed "../foyer/foyer.docc/Broker.md"
};
static const unsigned char security_model[] = {
#embed "../foyer/foyer.docc/SecurityModel.md"
};
static const unsigned char architecture[] = {
#embed "../foyer/foyer.docc/Architecture.md"
};

static const struct {
    const char *name;
    const unsigned char *bytes;
    size_t length;
} pages[] = {
    {"Keys", keys, sizeof keys},
    {"Settings", settings, sizeof settings},
    {"Stores", stores, sizeof stores},
    {"ExitStatuses", exit_statuses, sizeof exit_statuses},
    {"Scripting", scripting, sizeof scripting},
    {"Programs", programs, sizeof programs},
    {"Agent", agent, sizeof agent},
    {"Broker", broker, sizeof broker},
    {"SecurityModel", security_model, sizeof security_model},
    {"Architecture", architecture, sizeof architecture},
};

const unsigned char *foyer_help_page(const char *name, size_t *length) {
    for (size_t index = 0; index < sizeof pages / sizeof *pages; index++) {
        if (strcmp(pages[index].name, name) != 0) continue;
        *length = pages[index].length;
        return pages[index].bytes;
    }
    return NULL;
}
