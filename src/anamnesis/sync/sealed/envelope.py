"""What a sealed remote holds, as bytes: generations, packs and the order that binds them.

Nothing here knows git or a disk. A generation names its members and the one before it, and is
signed by a member of that one. The packs of a generation are numbered from 1, and each is signed
together with its number and the pack before it: none can be forged, swapped, moved or repeated.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from anamnesis.sync.sealed import keys
from anamnesis.sync.sealed.keys import Keys, Member

FORMAT = 1
_MAGIC = b"anamnesis sealed pack 1\n"
_KEY, _SIGNATURE = 32, 64
_SMALLEST = 4096  # a note or two; smaller packs are padded to it
_NO_PACK = "0" * 64


@dataclass(frozen=True, slots=True)
class Generation:
    """Who reads and writes the packs of a remote, until the next generation."""

    number: int
    previous: str  # the hash of the generation before, empty for the first
    members: tuple[Member, ...]
    signer: str
    hash: str
    replaced: str = _NO_PACK  # the last pack of the generation before


@dataclass(frozen=True, slots=True)
class Pack:
    """One pack, opened."""

    tip: str  # the clear commit that it leads to
    base: str | None  # the clear commit that it builds on, None if it is whole
    objects: bytes
    hash: str


class Refused(Exception):
    """What the remote holds is not what a member wrote there."""


def generation(
    number: int, previous: str, members: tuple[Member, ...], *, signer: Keys,
    replaced: str = _NO_PACK,
) -> bytes:  # fmt: skip
    """A new generation as a file."""
    facts = {
        "format": FORMAT, "generation": number, "previous": previous, "replaced": replaced,
        "members": [[member.age, member.sign, member.recovery] for member in members],
    }  # fmt: skip
    line = json.dumps(facts, separators=(",", ":")).encode()
    signature = signer.signature(_GENERATION + line).hex()
    return line + f"\n{signer.member.sign} {signature}\n".encode()


_GENERATION = b"anamnesis sealed generation\0"


def read_generation(data: bytes) -> Generation:
    """A generation whose signature holds; not yet whether its signer may sign. Raises Refused."""
    try:
        line, signed = data.decode().splitlines()
        facts = json.loads(line)
        signer, signature = signed.split(" ")
        members = tuple(Member(age, sign, bool(spare)) for age, sign, spare in facts["members"])
        parsed = Generation(
            int(facts["generation"]), str(facts["previous"]), members, signer,
            hashlib.sha256(data).hexdigest(), str(facts["replaced"]),
        )  # fmt: skip
        proof = bytes.fromhex(signature)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Refused("a generation cannot be read") from None
    if not all(keys.is_member(member.age, member.sign) for member in members):
        raise Refused("a generation names something that is not a key")
    if not keys.is_signed(_GENERATION + line.encode(), proof, by=signer):
        raise Refused("the signature of a generation is wrong")
    return parsed


def require_successor(after: Generation, before: Generation | None) -> None:
    """Raise Refused unless a generation continues from another, signed by one of its members."""
    if before is None:
        trusted, number, previous = after.members, 1, ""
    else:
        trusted, number, previous = before.members, before.number + 1, before.hash
    if (after.number, after.previous) != (number, previous):
        raise Refused("a generation does not continue from the one before")
    if after.signer not in {member.sign for member in trusted}:
        raise Refused("a generation is signed by a machine that is not a member")


def pack(
    objects: bytes, *, tip: str, base: str | None, generation: Generation, number: int,
    before: str, signer: Keys,
) -> bytes:  # fmt: skip
    """A pack as a file: padded, encrypted to all members, signed."""
    head = json.dumps({"tip": tip, "base": base, "size": len(objects)}).encode() + b"\n"
    clear = head + objects
    sealed = keys.encrypt(clear.ljust(padded_size(len(clear)), b"\0"), generation.members)
    signature = signer.signature(_statement(generation, number, before, sealed))
    return _MAGIC + bytes.fromhex(signer.member.sign) + signature + sealed


def open_pack(
    data: bytes, *, generation: Generation, number: int, before: str, reader: Keys
) -> Pack:
    """A pack that a member wrote as this number after that one. Raises Refused."""
    if not data.startswith(_MAGIC):
        raise Refused(f"pack {number} cannot be read")
    at = len(_MAGIC)
    signer = data[at : at + _KEY].hex()
    signature, sealed = data[at + _KEY : at + _KEY + _SIGNATURE], data[at + _KEY + _SIGNATURE :]
    if signer not in {member.sign for member in generation.members}:
        raise Refused(f"pack {number} is signed by a machine that is not a member")
    if not keys.is_signed(_statement(generation, number, before, sealed), signature, by=signer):
        raise Refused(f"the signature of pack {number} is wrong")
    clear = reader.decrypt(sealed)
    if clear is None:
        raise Refused(f"pack {number} is not encrypted to this machine")
    head, _, rest = clear.partition(b"\n")
    try:
        facts = json.loads(head)
        tip, base, size = str(facts["tip"]), facts["base"], int(facts["size"])
    except (ValueError, KeyError, TypeError):
        raise Refused(f"pack {number} cannot be read") from None
    if len(rest) < size:
        raise Refused(f"pack {number} is cut short")
    return Pack(tip, str(base) if base else None, rest[:size], hash_of(data))


def place_of_pack(number: int) -> str:
    """The path of a pack: in folders of a hundred, since each push writes a whole folder again."""
    return f"packs/{number // 100}/{number}"


def hash_of(data: bytes) -> str:
    """The hash by which the next pack names this one."""
    return hashlib.sha256(data).hexdigest()


def padded_size(size: int) -> int:
    """The size that content is padded to: at most an eighth more, in few steps."""
    if size <= _SMALLEST:
        return _SMALLEST
    step = 1 << max(12, (size - 1).bit_length() - 4)
    return -(-size // step) * step


def _statement(generation: Generation, number: int, before: str, sealed: bytes) -> bytes:
    facts = f"{generation.hash} {number} {before} {hash_of(sealed)}"
    return b"anamnesis sealed pack\0" + facts.encode()
