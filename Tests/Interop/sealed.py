"""A second reader of `encrypted:` stores, written from the description of the format: header, scrypt, AES-256-GCM."""

import ctypes
import hashlib
import json

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

FIXED = 66


def header(data):
    assert data[:8] == b"FOYERBOX" and data[8] == 1 and data[9] == 1 and data[13:16] == bytes(3), data[:16]
    return data[: FIXED + int.from_bytes(data[64:66], "big")]


def key_by_passphrase(data, passphrase):
    head = header(data)
    outer = hashlib.scrypt(
        passphrase.encode(), salt=data[32:64], n=1 << data[10], r=data[11], p=data[12], maxmem=1 << 30, dklen=32
    )
    wrapped = head[FIXED:]
    return AESGCM(outer).decrypt(wrapped[:12], wrapped[12:], head[:FIXED])


def key_in_kernel(data):
    """The key that is held for this user, or None."""
    kernel = ctypes.CDLL(None, use_errno=True)
    numbers = {"x86_64": 250, "aarch64": 219}
    call = lambda *words: kernel.syscall(numbers[__import__("platform").machine()], *words)  # noqa: E731
    found = call(10, ctypes.c_long(-4), b"user", b"foyer:" + data[16:32].hex().encode(), 0)
    room = ctypes.create_string_buffer(64)
    length = call(11, ctypes.c_long(found), room, 64) if found > 0 else -1
    return room.raw[:32] if length == 32 else None


def text(data, key):
    """The cache in it."""
    head = header(data)
    nonce = data[len(head) : len(head) + 12]
    clear = AESGCM(key).decrypt(nonce, data[len(head) + 12 :], head + nonce)
    return json.loads(clear[4 : 4 + int.from_bytes(clear[:4], "big")])
