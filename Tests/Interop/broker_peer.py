"""Somebody on the session bus: a caller of the broker, or a broker. Needs dbus-next.

call METHOD [REQUEST]…      one call after the other, JSON answers a line each
serve NAME MODE ANSWER      owns the broker's name; answers by the JSON of a file, method by method
runtime STEPS               what MSAL's run-time does with the broker
"""

import asyncio
import json
import os
import sys
import uuid

NAME = "com.microsoft.identity.broker1"
PATH = "/com/microsoft/identity/broker1"
INTERFACE = "com.microsoft.identity.Broker1"


async def call(method, request, correlation=None, timeout=60):
    from dbus_next import Message
    from dbus_next.aio import MessageBus

    bus = await MessageBus().connect()
    message = Message(
        destination=NAME,
        path=PATH,
        interface=INTERFACE,
        member=method,
        signature="sss",
        body=["0.0", correlation or str(uuid.uuid4()), request if isinstance(request, str) else json.dumps(request)],
    )
    reply = await asyncio.wait_for(bus.call(message), timeout)
    bus.disconnect()
    return {"error": reply.error_name} if reply.error_name else json.loads(reply.body[0])


async def introspect():
    from dbus_next.aio import MessageBus

    bus = await MessageBus().connect()
    node = await bus.introspect(NAME, PATH)
    print(json.dumps([method.name for interface in node.interfaces for method in interface.methods]))


async def serve(file):
    """A broker of the test's own, which counts what it was asked beside the file."""
    from dbus_next import Message, MessageType, NameFlag
    from dbus_next.aio import MessageBus

    bus = await MessageBus().connect()

    def handle(message):
        if message.message_type != MessageType.METHOD_CALL or message.interface != INTERFACE:
            return None
        with open(file + ".asked", "a") as asked:
            asked.write(json.dumps([message.member, json.loads(message.body[2])]) + "\n")
        answers = json.load(open(file))
        if answers.get(message.member) == "die":
            os._exit(1)
        if answers.get(message.member) == "silence":
            return True
        return Message.new_method_return(message, "s", [json.dumps(answers.get(message.member, {}))])

    bus.add_message_handler(handle)
    await bus.request_name(NAME, NameFlag.DO_NOT_QUEUE)
    print("here", flush=True)
    await asyncio.get_event_loop().create_future()


def main():
    if sys.argv[1] == "call":
        print(json.dumps(asyncio.run(call(sys.argv[2], *sys.argv[3:5]))))
    elif sys.argv[1] == "introspect":
        asyncio.run(introspect())
    else:
        asyncio.run(serve(sys.argv[2]))


if __name__ == "__main__":
    main()
