// D-Bus through libdbus, which is loaded on first use: it is not required if no bus is used, and its headers are not
// needed to build. Uses only functions with a fixed number of arguments.
//
// A bus and its messages must be used by one thread at a time.
#ifndef FOYER_CDBUS_H
#define FOYER_CDBUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct foyer_bus foyer_bus;
typedef struct foyer_message foyer_message;

// Message types, numbered as in the D-Bus specification.
enum { FOYER_MESSAGE_CALL = 1, FOYER_MESSAGE_RETURN = 2, FOYER_MESSAGE_ERROR = 3, FOYER_MESSAGE_SIGNAL = 4 };

// Whether the library and all required functions are available.
bool foyer_bus_is_available(void);

// A private connection to the session bus; on failure NULL, with the reason in `trouble`.
foyer_bus *foyer_bus_open(char *trouble, size_t room);
// A private connection to the system bus; on failure NULL, with the reason in `trouble`.
foyer_bus *foyer_bus_open_system(char *trouble, size_t room);
void foyer_bus_close(foyer_bus *bus);

// The descriptor for poll(2): always for input, and for output while messages are waiting to be sent.
int foyer_bus_descriptor(foyer_bus *bus);
bool foyer_bus_has_output(foyer_bus *bus);

// Reads and writes without blocking; false once the connection is lost.
bool foyer_bus_turn(foyer_bus *bus);

// The next received message, to be freed; NULL if there is none.
foyer_message *foyer_bus_next(foyer_bus *bus);

// Sends a message, which must still be freed.
bool foyer_bus_send(foyer_bus *bus, foyer_message *message);

// Sends a call and waits for its response, which must be freed; NULL after an error or timeout, with the reason in
// `trouble`.
foyer_message *foyer_bus_ask(foyer_bus *bus, foyer_message *call, int milliseconds, char *trouble, size_t room);

foyer_message *foyer_message_call(const char *name, const char *path, const char *interface, const char *member);
foyer_message *foyer_message_return(foyer_message *call);
foyer_message *foyer_message_error(foyer_message *call, const char *name, const char *text);
void foyer_message_free(foyer_message *message);

// Adds an argument; strings must be UTF-8.
bool foyer_message_add_text(foyer_message *message, const char *text);
bool foyer_message_add_number(foyer_message *message, uint32_t number);

int foyer_message_kind(foyer_message *message);
bool foyer_message_wants_answer(foyer_message *message);
// NULL if missing; valid as long as the message.
const char *foyer_message_sender(foyer_message *message);
const char *foyer_message_path(foyer_message *message);
const char *foyer_message_interface(foyer_message *message);
const char *foyer_message_member(foyer_message *message);

// The string argument at this index; NULL if it is missing or of another type.
const char *foyer_message_text(foyer_message *message, int index);
// The first argument, a number or boolean.
bool foyer_message_number(foyer_message *message, uint32_t *number);
// The first number in the structure in the variant that is the first argument.
bool foyer_message_inner_number(foyer_message *message, uint32_t *number);
// The descriptor in the first argument, which the caller must close; -1 if there is none.
int foyer_message_descriptor(foyer_message *message);
// Whether the first argument is a list of strings that contains this one.
bool foyer_message_lists(foyer_message *message, const char *text);
// The number with this name in the first argument, of type a{sv}.
bool foyer_message_entry(foyer_message *message, const char *name, uint32_t *number);

#endif
