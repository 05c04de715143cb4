#include "HelpPages.h"

#include <string.h>

// #embed is C23, supported by every clang that ships with Swift 6.
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
static const unsigned char providers[] = {
#embed "../foyer/foyer.docc/Providers.md"
};
static const unsigned char programs[] = {
#embed "../foyer/foyer.docc/Programs.md"
};
static const unsigned char git[] = {
#embed "../foyer/foyer.docc/Git.md"
};
static const unsigned char azure[] = {
#embed "../foyer/foyer.docc/Azure.md"
};
static const unsigned char kubernetes[] = {
#embed "../foyer/foyer.docc/Kubernetes.md"
};
static const unsigned char containers[] = {
#embed "../foyer/foyer.docc/Containers.md"
};
static const unsigned char python_packages[] = {
#embed "../foyer/foyer.docc/PythonPackages.md"
};
static const unsigned char mail[] = {
#embed "../foyer/foyer.docc/Mail.md"
};
static const unsigned char other_clouds[] = {
#embed "../foyer/foyer.docc/OtherClouds.md"
};
static const unsigned char identities[] = {
#embed "../foyer/foyer.docc/Identities.md"
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
static const unsigned char changelog[] = {
#embed "../foyer/foyer.docc/Changelog.md"
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
    {"Providers", providers, sizeof providers},
    {"Programs", programs, sizeof programs},
    {"Git", git, sizeof git},
    {"Azure", azure, sizeof azure},
    {"Kubernetes", kubernetes, sizeof kubernetes},
    {"Containers", containers, sizeof containers},
    {"PythonPackages", python_packages, sizeof python_packages},
    {"Mail", mail, sizeof mail},
    {"OtherClouds", other_clouds, sizeof other_clouds},
    {"Identities", identities, sizeof identities},
    {"Agent", agent, sizeof agent},
    {"Broker", broker, sizeof broker},
    {"SecurityModel", security_model, sizeof security_model},
    {"Architecture", architecture, sizeof architecture},
    {"Changelog", changelog, sizeof changelog},
};

const unsigned char *foyer_help_page(const char *name, size_t *length) {
    for (size_t index = 0; index < sizeof pages / sizeof *pages; index++) {
        if (strcmp(pages[index].name, name) != 0) continue;
        *length = pages[index].length;
        return pages[index].bytes;
    }
    return NULL;
}
