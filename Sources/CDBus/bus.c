#include "bus.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// From the public headers of libdbus 1, whose layout is a stable ABI.
typedef struct DBusConnection DBusConnection;
typedef struct DBusMessage DBusMessage;
typedef uint32_t dbus_bool_t;
typedef struct {
    const char *name;
    const char *message;
    unsigned int bits;
    void *padding;
} DBusError;
// 72 bytes with 64-bit pointers.
typedef union {
    void *alignment;
    char room[128];
} DBusMessageIter;

enum { SESSION_BUS = 0, SYSTEM_BUS = 1 };

#define FUNCTIONS(F) \
    F(dbus_bool_t, threads_init_default, (void)) \
    F(void, error_init, (DBusError *)) \
    F(void, error_free, (DBusError *)) \
    F(DBusConnection *, bus_get_private, (int, DBusError *)) \
    F(void, connection_set_exit_on_disconnect, (DBusConnection *, dbus_bool_t)) \
    F(void, connection_close, (DBusConnection *)) \
    F(void, connection_unref, (DBusConnection *)) \
    F(dbus_bool_t, connection_get_unix_fd, (DBusConnection *, int *)) \
    F(dbus_bool_t, connection_get_is_connected, (DBusConnection *)) \
    F(dbus_bool_t, connection_has_messages_to_send, (DBusConnection *)) \
    F(dbus_bool_t, connection_read_write, (DBusConnection *, int)) \
    F(DBusMessage *, connection_pop_message, (DBusConnection *)) \
    F(dbus_bool_t, connection_send, (DBusConnection *, DBusMessage *, uint32_t *)) \
    F(DBusMessage *, connection_send_with_reply_and_block, (DBusConnection *, DBusMessage *, int, DBusError *)) \
    F(DBusMessage *, message_new_method_call, (const char *, const char *, const char *, const char *)) \
    F(DBusMessage *, message_new_method_return, (DBusMessage *)) \
    F(DBusMessage *, message_new_error, (DBusMessage *, const char *, const char *)) \
    F(void, message_unref, (DBusMessage *)) \
    F(int, message_get_type, (DBusMessage *)) \
    F(dbus_bool_t, message_get_no_reply, (DBusMessage *)) \
    F(const char *, message_get_sender, (DBusMessage *)) \
    F(const char *, message_get_path, (DBusMessage *)) \
    F(const char *, message_get_interface, (DBusMessage *)) \
    F(const char *, message_get_member, (DBusMessage *)) \
    F(dbus_bool_t, message_iter_init, (DBusMessage *, DBusMessageIter *)) \
    F(dbus_bool_t, message_iter_next, (DBusMessageIter *)) \
    F(int, message_iter_get_arg_type, (DBusMessageIter *)) \
    F(void, message_iter_get_basic, (DBusMessageIter *, void *)) \
    F(void, message_iter_recurse, (DBusMessageIter *, DBusMessageIter *)) \
    F(void, message_iter_init_append, (DBusMessage *, DBusMessageIter *)) \
    F(dbus_bool_t, message_iter_append_basic, (DBusMessageIter *, int, const void *))

#define POINTER(result, name, arguments) result (*name) arguments;
static struct { FUNCTIONS(POINTER) } dbus;

static bool is_available = false;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    // Missing functions are detected here, not during a call. The library is never unloaded.
    void *library = dlopen("libdbus-1.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
#define FIND(result, name, arguments) \
    if (!(dbus.name = (result(*) arguments)dlsym(library, "dbus_" #name))) return;
    FUNCTIONS(FIND)
    is_available = dbus.threads_init_default();
}

bool foyer_bus_is_available(void) {
    pthread_once(&once, load);
    return is_available;
}

static void tell(char *trouble, size_t room, DBusError *error, const char *otherwise) {
    if (room > 0) snprintf(trouble, room, "%s", error->message ? error->message : otherwise);
    dbus.error_free(error);
}

static foyer_bus *open_bus(int kind, char *trouble, size_t room) {
    if (!foyer_bus_is_available()) {
        if (room > 0) snprintf(trouble, room, "libdbus-1.so.3 is not installed");
        return NULL;
    }
    DBusError error;
    dbus.error_init(&error);
    DBusConnection *connection = dbus.bus_get_private(kind, &error);
    if (!connection) {
        tell(trouble, room, &error, "no bus");
        return NULL;
    }
    dbus.connection_set_exit_on_disconnect(connection, 0);
    return (foyer_bus *)connection;
}

foyer_bus *foyer_bus_open(char *trouble, size_t room) { return open_bus(SESSION_BUS, trouble, room); }
foyer_bus *foyer_bus_open_system(char *trouble, size_t room) { return open_bus(SYSTEM_BUS, trouble, room); }

void foyer_bus_close(foyer_bus *bus) {
    dbus.connection_close((DBusConnection *)bus);
    dbus.connection_unref((DBusConnection *)bus);
}

int foyer_bus_descriptor(foyer_bus *bus) {
    int file = -1;
    return dbus.connection_get_unix_fd((DBusConnection *)bus, &file) ? file : -1;
}

bool foyer_bus_has_output(foyer_bus *bus) { return dbus.connection_has_messages_to_send((DBusConnection *)bus); }

bool foyer_bus_turn(foyer_bus *bus) {
    return dbus.connection_read_write((DBusConnection *)bus, 0)
        && dbus.connection_get_is_connected((DBusConnection *)bus);
}

foyer_message *foyer_bus_next(foyer_bus *bus) {
    return (foyer_message *)dbus.connection_pop_message((DBusConnection *)bus);
}

bool foyer_bus_send(foyer_bus *bus, foyer_message *message) {
    return dbus.connection_send((DBusConnection *)bus, (DBusMessage *)message, NULL);
}

foyer_message *foyer_bus_ask(foyer_bus *bus, foyer_message *call, int milliseconds, char *trouble, size_t room) {
    DBusError error;
    dbus.error_init(&error);
    DBusMessage *answer = dbus.connection_send_with_reply_and_block(
        (DBusConnection *)bus, (DBusMessage *)call, milliseconds, &error);
    if (!answer) tell(trouble, room, &error, "no response");
    return (foyer_message *)answer;
}

foyer_message *foyer_message_call(const char *name, const char *path, const char *interface, const char *member) {
    return (foyer_message *)dbus.message_new_method_call(name, path, interface, member);
}

foyer_message *foyer_message_return(foyer_message *call) {
    return (foyer_message *)dbus.message_new_method_return((DBusMessage *)call);
}

foyer_message *foyer_message_error(foyer_message *call, const char *name, const char *text) {
    return (foyer_message *)dbus.message_new_error((DBusMessage *)call, name, text);
}

void foyer_message_free(foyer_message *message) { dbus.message_unref((DBusMessage *)message); }

static bool add(foyer_message *message, int type, const void *value) {
    DBusMessageIter place;
    dbus.message_iter_init_append((DBusMessage *)message, &place);
    return dbus.message_iter_append_basic(&place, type, value);
}

bool foyer_message_add_text(foyer_message *message, const char *text) { return add(message, 's', &text); }
bool foyer_message_add_number(foyer_message *message, uint32_t number) { return add(message, 'u', &number); }

int foyer_message_kind(foyer_message *message) { return dbus.message_get_type((DBusMessage *)message); }
bool foyer_message_wants_answer(foyer_message *message) {
    return !dbus.message_get_no_reply((DBusMessage *)message);
}
const char *foyer_message_sender(foyer_message *message) { return dbus.message_get_sender((DBusMessage *)message); }
const char *foyer_message_path(foyer_message *message) { return dbus.message_get_path((DBusMessage *)message); }
const char *foyer_message_interface(foyer_message *message) {
    return dbus.message_get_interface((DBusMessage *)message);
}
const char *foyer_message_member(foyer_message *message) { return dbus.message_get_member((DBusMessage *)message); }

const char *foyer_message_text(foyer_message *message, int index) {
    DBusMessageIter place;
    if (!dbus.message_iter_init((DBusMessage *)message, &place)) return NULL;
    for (int skipped = 0; skipped < index; skipped++) {
        if (!dbus.message_iter_next(&place)) return NULL;
    }
    const char *text = NULL;
    if (dbus.message_iter_get_arg_type(&place) == 's') dbus.message_iter_get_basic(&place, &text);
    return text;
}

bool foyer_message_number(foyer_message *message, uint32_t *number) {
    DBusMessageIter place;
    if (!dbus.message_iter_init((DBusMessage *)message, &place)) return false;
    int type = dbus.message_iter_get_arg_type(&place);
    if (type != 'u' && type != 'b') return false;
    dbus.message_iter_get_basic(&place, number);
    return true;
}

bool foyer_message_inner_number(foyer_message *message, uint32_t *number) {
    DBusMessageIter place, value, member;
    if (!dbus.message_iter_init((DBusMessage *)message, &place)) return false;
    if (dbus.message_iter_get_arg_type(&place) != 'v') return false;
    dbus.message_iter_recurse(&place, &value);
    if (dbus.message_iter_get_arg_type(&value) != 'r') return false;
    dbus.message_iter_recurse(&value, &member);
    if (dbus.message_iter_get_arg_type(&member) != 'u') return false;
    dbus.message_iter_get_basic(&member, number);
    return true;
}

int foyer_message_descriptor(foyer_message *message) {
    DBusMessageIter place;
    int file = -1;
    if (!dbus.message_iter_init((DBusMessage *)message, &place)) return -1;
    if (dbus.message_iter_get_arg_type(&place) == 'h') dbus.message_iter_get_basic(&place, &file);
    return file;
}

bool foyer_message_lists(foyer_message *message, const char *text) {
    DBusMessageIter list, item;
    if (!dbus.message_iter_init((DBusMessage *)message, &list)) return false;
    if (dbus.message_iter_get_arg_type(&list) != 'a') return false;
    dbus.message_iter_recurse(&list, &item);
    for (; dbus.message_iter_get_arg_type(&item) == 's'; dbus.message_iter_next(&item)) {
        const char *found = NULL;
        dbus.message_iter_get_basic(&item, &found);
        if (found && strcmp(found, text) == 0) return true;
    }
    return false;
}

bool foyer_message_entry(foyer_message *message, const char *name, uint32_t *number) {
    DBusMessageIter list, entry, member, value;
    if (!dbus.message_iter_init((DBusMessage *)message, &list)) return false;
    if (dbus.message_iter_get_arg_type(&list) != 'a') return false;
    dbus.message_iter_recurse(&list, &entry);
    for (; dbus.message_iter_get_arg_type(&entry) == 'e'; dbus.message_iter_next(&entry)) {
        const char *found = NULL;
        dbus.message_iter_recurse(&entry, &member);
        if (dbus.message_iter_get_arg_type(&member) != 's') continue;
        dbus.message_iter_get_basic(&member, &found);
        if (!found || strcmp(found, name) != 0 || !dbus.message_iter_next(&member)) continue;
        if (dbus.message_iter_get_arg_type(&member) != 'v') return false;
        dbus.message_iter_recurse(&member, &value);
        if (dbus.message_iter_get_arg_type(&value) != 'u') return false;
        dbus.message_iter_get_basic(&value, number);
        return true;
    }
    return false;
}
