"""A logind on a bus of a test's own, as far as the agent speaks to it. Needs dbus-next.

Says a JSON line on standard output for each lock against sleep that was taken or let go; takes a line on standard input
for each signal: `sleep`, `wake`, `lock` (a session of this user) and `lock-other`.
"""

import asyncio
import json
import os
import sys

NAME, PATH = "org.freedesktop.login1", "/org/freedesktop/login1"


async def main():
    from dbus_next import BusType, Message, MessageType, Variant
    from dbus_next.aio import MessageBus

    bus = await MessageBus(bus_type=BusType.SYSTEM, negotiate_unix_fd=True).connect()
    loop = asyncio.get_event_loop()

    def say(what):
        print(json.dumps(what), flush=True)

    def handle(message):
        if message.message_type != MessageType.METHOD_CALL:
            return None
        if message.member == "Inhibit":
            kept, given = os.pipe()
            say(["taken", *message.body])

            def gone():
                loop.remove_reader(kept)
                os.close(kept)
                say(["let go"])

            reply = Message.new_method_return(message, "h", [0], [given])
            # Once the answer is written.
            loop.call_later(0.5, os.close, given)
            loop.add_reader(kept, gone)
            return reply
        if message.member == "Get" and message.body[1] == "User":
            uid = os.geteuid() if message.path.endswith("/ours") else 4711
            return Message.new_method_return(message, "v", [Variant("(uo)", [uid, PATH + "/user"])])
        return None

    bus.add_message_handler(handle)
    await bus.request_name(NAME)
    say(["here"])

    def signal(path, interface, member, signature="", body=()):
        bus.send(Message.new_signal(path, f"{NAME}.{interface}", member, signature, list(body)))

    def order():
        orders = os.read(sys.stdin.fileno(), 4096).decode().split()
        if not orders:
            loop.stop()
        for line in orders:
            carry_out(line)

    def carry_out(line):
        if line in ("sleep", "wake"):
            signal(PATH, "Manager", "PrepareForSleep", "b", [line == "sleep"])
        elif line == "lock":
            signal(PATH + "/session/ours", "Session", "Lock")
        elif line == "lock-other":
            signal(PATH + "/session/other", "Session", "Lock")

    loop.add_reader(sys.stdin, order)
    await loop.create_future()


try:
    asyncio.run(main())
except RuntimeError:
    pass
