// The session bus by libdbus, which is opened when it is first needed: whoever uses no bus needs no library, and no
// header of it is needed to build. Of its functions only those are taken that have a fixed number of arguments.
//
// A bus and its messages are used by one thread at a time.
#ifndef FOYER_CDBUS_H
#define FOYER_CDBUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct foyer_bus foyer_bus;
typedef struct foyer_message foyer_message;

// What a message is, as the D-Bus specification numbers it.
enum { FOYER_MESSAGE_CALL = 1, FOYER_MESSAGE_RETURN = 2, FOYER_MESSAGE_ERROR = 3, FOYER_MESSAGE_SIGNAL = 4 };

// Whether the library is there, with all that is needed of it.
bool foyer_bus_is_available(void);

// A connection of its own to the session's bus; NULL, and why in `trouble`, where there is none.
foyer_bus *foyer_bus_open(char *trouble, size_t room);
// The same to the system's bus.
foyer_bus *foyer_bus_open_system(char *trouble, size_t room);
void foyer_bus_close(foyer_bus *bus);

// The descriptor to poll(2): for input always, for output while there is something to send.
int foyer_bus_descriptor(foyer_bus *bus);
bool foyer_bus_has_output(foyer_bus *bus);

// Reads and writes what can be without waiting; false once the connection is gone.
bool foyer_bus_turn(foyer_bus *bus);

// The next message that has come; NULL when there is none. To be freed.
foyer_message *foyer_bus_next(foyer_bus *bus);

// Sends a message; it still has to be freed.
bool foyer_bus_send(foyer_bus *bus, foyer_message *message);

// Sends a call and waits for its answer, which has to be freed; NULL, and why in `trouble`, for an error or none in time.
foyer_message *foyer_bus_ask(foyer_bus *bus, foyer_message *call, int milliseconds, char *trouble, size_t room);

foyer_message *foyer_message_call(const char *name, const char *path, const char *interface, const char *member);
foyer_message *foyer_message_return(foyer_message *call);
foyer_message *foyer_message_error(foyer_message *call, const char *name, const char *text);
void foyer_message_free(foyer_message *message);

// Adds an argument; a text has to be UTF-8.
bool foyer_message_add_text(foyer_message *message, const char *text);
bool foyer_message_add_number(foyer_message *message, uint32_t number);

int foyer_message_kind(foyer_message *message);
bool foyer_message_wants_answer(foyer_message *message);
// Each may be NULL. They live as long as the message.
const char *foyer_message_sender(foyer_message *message);
const char *foyer_message_path(foyer_message *message);
const char *foyer_message_interface(foyer_message *message);
const char *foyer_message_member(foyer_message *message);

// The text that is the argument of this number; NULL when there is none, or it is of another type.
const char *foyer_message_text(foyer_message *message, int index);
// The first argument, a number or a truth value.
bool foyer_message_number(foyer_message *message, uint32_t *number);
// The same in the first argument, a variant of a structure that begins with it.
bool foyer_message_inner_number(foyer_message *message, uint32_t *number);
// The descriptor that is the first argument, the caller's to close; minus one where there is none.
int foyer_message_descriptor(foyer_message *message);
// Whether the first argument is a list of texts that has this one.
bool foyer_message_lists(foyer_message *message, const char *text);
// The number of this name in the first argument, a{sv}.
bool foyer_message_entry(foyer_message *message, const char *name, uint32_t *number);

#endif
