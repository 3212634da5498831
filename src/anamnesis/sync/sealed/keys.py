"""The keys of one machine, the recovery key, and the codes for comparing keys by eye.

Keys are made on their machine and never leave it: `<home>/keys/` is not synced. This module is
the only one that loads the libraries of the extra [sealed].
"""

from __future__ import annotations

import hashlib
import json
import os
from base64 import b32encode
from dataclasses import dataclass
from typing import Any

from anamnesis.ground import atomic
from anamnesis.ground.errors import AnamnesisError, ExtraMissing, InvalidInput

_RECOVERY = "AGE-SECRET-KEY-1"
_SIGNING = b"anamnesis: the signing key of a recovery key\0"
_CODE_LETTERS = 16  # 80 bits: no second key can be found for a code
_GROUP = 4


class UnreadableKey(AnamnesisError):
    """The file with this machine's keys is damaged."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} does not hold the keys of a machine.",
            hint="Restore it from a backup; or move it away, run `anamnesis join` with the remote "
            "and let another machine approve the new key.",
        )


@dataclass(frozen=True, slots=True)
class Member:
    """The public keys of a machine: one to encrypt packs to, one to check its signatures."""

    age: str
    sign: str  # an Ed25519 public key in hex
    recovery: bool = False

    @property
    def code(self) -> str:
        """The code that commits to both keys."""
        return code_of(f"{self.age} {self.sign}".encode())


@dataclass(frozen=True, slots=True)
class Keys:
    """The secrets of a machine."""

    age: str
    sign: str  # the seed in hex
    recovery: bool = False

    @property
    def member(self) -> Member:
        """The public half."""
        pyrage, signing = _libraries()
        public = pyrage.x25519.Identity.from_str(self.age).to_public()
        verify = signing.SigningKey(bytes.fromhex(self.sign)).verify_key
        return Member(str(public), bytes(verify).hex(), self.recovery)

    def decrypt(self, sealed: bytes) -> bytes | None:
        """What was encrypted to this machine, or None if it was not, or was changed since."""
        pyrage, _ = _libraries()
        try:
            clear: bytes = pyrage.decrypt(sealed, [pyrage.x25519.Identity.from_str(self.age)])
        except pyrage.DecryptError:
            return None
        return clear

    def signature(self, message: bytes) -> bytes:
        """What proves that this machine wrote a message."""
        _, signing = _libraries()
        signed: bytes = signing.SigningKey(bytes.fromhex(self.sign)).sign(message).signature
        return signed


def encrypt(clear: bytes, members: tuple[Member, ...]) -> bytes:
    """Content encrypted so that only these members can read it."""
    pyrage, _ = _libraries()
    recipients = [pyrage.x25519.Recipient.from_str(member.age) for member in members]
    sealed: bytes = pyrage.encrypt(clear, recipients)
    return sealed


def is_signed(message: bytes, signature: bytes, *, by: str) -> bool:
    """Whether a signature is the one of this public key for this message."""
    _, signing = _libraries()
    from nacl.exceptions import BadSignatureError

    try:
        signing.VerifyKey(bytes.fromhex(by)).verify(message, signature)
    except (BadSignatureError, ValueError, TypeError):
        return False
    return True


def is_member(age: object, sign: object) -> bool:
    """Whether two texts are public keys."""
    pyrage, _ = _libraries()
    if not (isinstance(age, str) and isinstance(sign, str) and len(sign) == 64):
        return False
    try:
        bytes.fromhex(sign)
        pyrage.x25519.Recipient.from_str(age)
    except (ValueError, pyrage.RecipientError):
        return False
    return True


def new_keys(*, recovery: bool = False) -> Keys:
    """New keys; those of a recovery key are derived from its one printed line."""
    pyrage, _ = _libraries()
    age = str(pyrage.x25519.Identity.generate())
    return recovered(age) if recovery else Keys(age, os.urandom(32).hex())


def recovered(printed: str) -> Keys:
    """The keys that a printed recovery key stands for; raises InvalidInput if it is none."""
    pyrage, _ = _libraries()
    age = "".join(printed.split()).upper()
    try:
        pyrage.x25519.Identity.from_str(age)
    except (ValueError, pyrage.IdentityError):
        raise InvalidInput(
            "This is not a recovery key.", hint=f"It begins with {_RECOVERY} and is one line."
        ) from None
    return Keys(age, hashlib.sha256(_SIGNING + age.encode()).hexdigest(), recovery=True)


def own_keys(folder: str) -> Keys | None:
    """The keys of this machine; None before they are made. Raises UnreadableKey."""
    path = os.path.join(folder, "machine.json")
    try:
        with open(path, encoding="utf-8") as stream:
            stored = json.load(stream)
        return Keys(str(stored["age"]), bytes.fromhex(stored["sign"]).hex())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        raise UnreadableKey(path) from None


def made_keys(folder: str) -> Keys:
    """The keys of this machine, made now if there are none. Raises UnreadableKey."""
    existing = own_keys(folder)
    if existing is not None:
        return existing
    keys = new_keys()
    stored = {"code": keys.member.code, "age": keys.age, "sign": keys.sign}
    atomic.write_text(os.path.join(folder, "machine.json"), json.dumps(stored) + "\n")
    return keys


def own_code(folder: str) -> str:
    """The code of this machine's keys, without loading what works with keys; empty if none."""
    try:
        with open(os.path.join(folder, "machine.json"), encoding="utf-8") as stream:
            return str(json.load(stream)["code"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def code_of(content: bytes) -> str:
    """A short text to compare by eye: 80 bits of a hash, in groups of four letters."""
    letters = b32encode(hashlib.sha256(content).digest()).decode()[:_CODE_LETTERS]
    return "-".join(letters[at : at + _GROUP] for at in range(0, _CODE_LETTERS, _GROUP))


def same_code(typed: str, code: str) -> bool:
    """Whether what was typed is the whole code, in whatever case and grouping."""
    bare = "".join(letter for letter in typed.upper() if letter.isalnum())
    return bare == code.replace("-", "")


def require_extra() -> None:
    """Check that this machine can seal. Raises ExtraMissing."""
    _libraries()


def _libraries() -> tuple[Any, Any]:
    try:
        import nacl.signing
        import pyrage
    except ImportError:
        raise ExtraMissing("A sealed remote", extra="sealed") from None
    return pyrage, nacl.signing
