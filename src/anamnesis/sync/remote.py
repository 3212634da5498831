"""Talking to the remote: with a time limit, without prompts, and with failures explained."""

from __future__ import annotations

import os
import re
import time

from anamnesis.ground.errors import InvalidInput
from anamnesis.ground.records import record
from anamnesis.sync import recovery
from anamnesis.sync.repository import MAIN, UPSTREAM, read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    from anamnesis.ground.process import Finished
    from anamnesis.sync.repository import Repository
else:
    Protocol = object

CONNECT_SECONDS = 10
_FETCHES = 5
# How much of the history a machine without it fetches: lines of work that were joined since have
# a past of their own, which an ordinary fetch would bring along.
_DEPTHS = ("--depth=1", "--depth=8", "--depth=64", "--unshallow")
# By then, ten machines that push at the same moment are all through, even on one busy computer.
_RACE_SECONDS, _RACE_TRIES = 90.0, 60
_LOGIN = r"[^/\s'\"]"  # a character of a user name or password; it may be an @


@record
class Trouble:
    """Why the remote could not be used: unreachable for now, or something to fix."""

    message: str
    hint: str = ""
    offline: bool = False


@record
class Fetched:
    """What the remote has: a commit, nothing yet, or trouble."""

    commit: str | None = None
    trouble: Trouble | None = None
    remark: str = ""  # what you should know, although the sync continues
    repair: bool = False  # whether the remote must get our commit even if it is not new


@record
class Pushed:
    """Whether the remote took our commits; a race is worth another try."""

    done: bool = False
    raced: bool = False
    locked: bool = False  # the ref is locked there: by a push under way, or by a dead process
    trouble: Trouble | None = None
    replaced: tuple[str, ...] = ()  # what the remote had before, where its ids are not ours


class Transport(Protocol):
    """Moves commits to a remote and back; it decides what they look like there."""

    def fetch(self) -> Fetched:
        """Learn what the remote has, as a commit of this repository."""

    def push(self, commit: str) -> Pushed:
        """Offer a commit as the new tip; never forced, so no commits can be lost."""

    def replace(self, commit: str) -> Pushed:
        """Offer a purged history in place of the one that was fetched last."""


class PlainTransport:
    """Moves the commits as they are."""

    def __init__(
        self, repository: Repository, *, url: str, seconds: float, shallow: bool = False
    ) -> None:
        """A shallow one does not fetch the remote's history."""
        self._repository = repository
        self._url = url
        self._seconds = seconds
        self._shallow = shallow

    def fetch(self) -> Fetched:
        """Learn what the remote has."""
        configure(self._repository, self._url)
        first = self._repository.resolve(UPSTREAM) is None
        if not self._shallow or not (first or self._repository.is_shallow()):
            return fetch(self._repository, url=self._url, seconds=self._seconds)
        known = self._taken_over()
        for depth in _DEPTHS:
            fetched = fetch(self._repository, depth, url=self._url, seconds=self._seconds)
            if fetched.trouble and not fetched.trouble.offline:
                break  # the server may not support shallow clones
            if fetched.trouble or self._goes_on(known, fetched.commit):
                return fetched
        return fetch(self._repository, url=self._url, seconds=self._seconds)

    def _taken_over(self) -> str | None:
        """The last state of the remote that the branch has."""
        main = self._repository.resolve(MAIN)
        seen = self._repository.positions(UPSTREAM, most=_FETCHES) if main else []
        return next((each for each in seen if self._repository.contains(main or "", each)), None)

    def _goes_on(self, known: str | None, commit: str | None) -> bool:
        """Whether what was fetched is known to go on from what was there before."""
        return not known or not commit or self._repository.contains(commit, known)

    def push(self, commit: str) -> Pushed:
        """Offer a commit as the new tip."""
        return push(self._repository, commit, url=self._url, seconds=self._seconds)

    def replace(self, commit: str) -> Pushed:
        """Offer a purged history in place of the one that the remote has."""
        return replace_history(
            self._repository, commit, old=self._repository.resolve(UPSTREAM) or "",
            url=self._url, seconds=self._seconds,
        )  # fmt: skip


def require_usable(url: str) -> str:
    """The URL. Raises InvalidInput if git could take it for an option or run a program for it."""
    if not url or url.startswith("-") or re.search(r"[\x00-\x1f\x7f]", url):
        raise InvalidInput(f"{url[:80]!r} is not a git remote.")
    if re.match(r"(?i)(ext|fd)::", url) or re.match(r"(?i)[a-z0-9+.-]+::", url):
        raise InvalidInput(
            f"{shown(url)} would run a program.",
            hint="Use a path, an ssh address (user@host:path.git) or an https URL.",
        )
    return url


def shown(text: str) -> str:
    """A URL, or a text with URLs in it, without passwords and tokens."""
    # In a web address even the user may be a token; in an ssh address it is only a name.
    text = re.sub(rf"(?i)(https?://){_LOGIN}*@", r"\1…@", text)
    return re.sub(rf"(?i)([a-z+]+://[^/@:\s]*):{_LOGIN}*@", r"\1:…@", text)


def configure(repository: Repository, url: str) -> None:
    """Point `origin` at the remote, so that the URL appears on no command line."""
    config = os.path.join(repository.git_dir, "config")
    if f"\turl = {url}\n" in read_text(config):
        return
    repository.ask("config", "--replace-all", "remote.origin.url", url)
    repository.ask("config", "--replace-all", "remote.origin.fetch", f"+{MAIN}:{UPSTREAM}")
    os.chmod(config, 0o600)  # the URL may hold a token


def fetch(repository: Repository, *options: str, url: str, seconds: float) -> Fetched:
    """Learn what the remote has."""
    environment = unattended_environment(repository, url)
    for _ in range(_FETCHES):
        finished = repository.git(
            "fetch", "--quiet", "--no-tags", *options, "origin", f"+{MAIN}:{UPSTREAM}",
            timeout=seconds, env=environment,
        )  # fmt: skip
        if b"cannot lock ref" not in finished.err:
            break  # else the fetch of a sync that was killed is still under way
        time.sleep(0.2)
    if finished.code == 0:
        return Fetched(repository.resolve(UPSTREAM))
    if b"couldn't find remote ref" in finished.err.lower():
        repository.git("update-ref", "-d", UPSTREAM)
        return Fetched()
    return Fetched(trouble=explain(finished, url, seconds))


def push(repository: Repository, commit: str, *, url: str, seconds: float) -> Pushed:
    """Offer a commit as the new tip; never forced, so no commits can be lost."""
    finished = repository.git(
        "push", "--quiet", "--porcelain", "--no-verify", *_receiver(url),
        "origin", f"{commit}:{MAIN}",
        timeout=seconds, env=unattended_environment(repository, url),
    )  # fmt: skip
    return _outcome(finished, url, seconds)


def replace_history(
    repository: Repository, new: str, *, old: str, url: str, seconds: float
) -> Pushed:
    """Offer a purged history in place of the one that the remote has: the only forced push.

    A remote that has moved on since refuses it. Repositories made by `anamnesis remote --create`
    refuse every other rewrite, so it is allowed for this push only.
    """
    allowed = "git -c core.hooksPath=hooks -c receive.denyNonFastForwards=false receive-pack"
    receiver = [f"--receive-pack={allowed}"] if _is_path(url) or is_ssh(url) else []
    finished = repository.git(
        "push", "--quiet", "--porcelain", "--no-verify", *receiver,
        f"--force-with-lease={MAIN}:{old}", "origin", f"{new}:{MAIN}",
        timeout=seconds, env=unattended_environment(repository, url),
    )  # fmt: skip
    return _outcome(finished, url, seconds)


def pauses() -> Iterator[float]:
    """How long to wait before each attempt to push: not at first, then a random time.

    Never long: in each race one machine gets through, and one that waits longer than the others
    loses the next race as well.
    """
    deadline = time.monotonic() + _RACE_SECONDS
    yield 0.0
    tries = 1
    while tries < _RACE_TRIES or time.monotonic() < deadline:
        yield 0.01 + 0.3 * os.urandom(1)[0] / 255
        tries += 1


def _outcome(finished: Finished, url: str, seconds: float) -> Pushed:
    """How a push ended; a stale lock in a remote on this disk is removed for the next attempt."""
    if finished.code == 0:
        return Pushed(done=True)
    output = (finished.out + finished.err).decode("utf-8", "replace").lower()
    raced = not finished.timed_out and any(words in output for words in _RACES)
    locked = raced and "file exists" in output
    if locked and _is_path(url):
        recovery.free_dead_locks(url)
    return Pushed(raced=raced, locked=locked, trouble=explain(finished, url, seconds))


def _receiver(url: str) -> list[str]:
    """Options for a remote on this disk, whose end of the push must not run your global hooks.

    Nor must it pack its objects while we wait; `GitSyncBackend` starts that in the background.
    """
    if not _is_path(url):
        return []
    return ["--receive-pack=git -c core.hooksPath=hooks -c receive.autoGC=false receive-pack"]


# What git says when another machine was faster, or is just now moving the same ref.
_RACES = (
    "fetch first", "non-fast-forward", "failed to update ref", "cannot lock ref",
    "incorrect old value", "stale info", "reference already exists", "unable to lock",
    "remote ref updated since checkout",
)  # fmt: skip


def unattended_environment(repository: Repository, url: str) -> dict[str, str]:
    """An environment in which nothing can prompt for a password or a host key."""
    quiet = {"GIT_ASKPASS": "false", "SSH_ASKPASS": "false", "GCM_INTERACTIVE": "never"}
    if not is_ssh(url):
        return quiet
    named = os.environ.get("GIT_SSH_COMMAND")
    command = named or repository.git("config", "--get", "core.sshCommand").text or "ssh"
    options = f"-o BatchMode=yes -o ConnectTimeout={CONNECT_SECONDS} -o ServerAliveInterval=10"
    return {**quiet, "GIT_SSH_COMMAND": f"{command} {options}", "GIT_SSH_VARIANT": "ssh"}


def _is_path(url: str) -> bool:
    return not is_ssh(url) and "://" not in url


def is_ssh(url: str) -> bool:
    """Whether git would reach this remote through ssh."""
    if re.match(r"(?i)(git\+)?ssh(\+git)?://", url):
        return True
    return re.match(r"[^/\\:]+:(?!//)(?![\\/])", url) is not None or (
        re.match(r"[^/\\:]{2,}:/(?!/)", url) is not None
    )


_OFFLINE = (
    "could not resolve", "connection timed out", "connection refused", "network is unreachable",
    "no route to host", "operation timed out", "connection reset", "connection closed",
    "temporary failure", "failed to connect", "couldn't connect", "host is down",
    "operation too slow", "unexpected disconnect", "banner exchange", "broken pipe",
)  # fmt: skip
# As shells on the other side put it.
_NO_GIT = (
    "pack: not found", "pack: command not found", "git: not found", "git: command not found",
    "command not found: git", "unknown command: git", "pack' is not recognized",
)  # fmt: skip
_AWAY = "{url} cannot be reached"
# (what git or ssh says, what it means, what to do), the first match; without advice, just wait.
_MEANINGS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("host key verification failed", "host key is known"),
     "the host key of {host} is not known or has changed",
     "Check it and accept it once with:  {look}"),
    (("permission denied", "authentication failed", "could not read username",
      "could not read password", "terminal prompts disabled", "access denied"),
     "{url} refused this machine's key or password",
     "Set up a login that needs no prompt{let_in} anamnesis sync"),
    (("no space left", "disk quota exceeded", "read-only file system"),
     "{url} cannot store more: its disk is full or read-only",
     "Free space there; your notes are committed here and go out with the next sync."),
    ((".lock': file exists",),
     "{url} is locked by a push that did not end",
     "If no other machine is syncing, remove the lock:  {unlock}"),
    (("remote: fatal:", "remote: error:", "remote rejected", "hook declined"),
     "{url} refused: {reason}", ""),
    (("could not resolve", "name or service not known", "nodename nor servname"),
     f"{_AWAY}: the name {{host}} is not known here",
     "If you are online, check the address:  anamnesis remote"),
    (("connection refused",), f"{_AWAY}: {{host}} refuses connections",
     "If it should be up, see what it says:  {look}"),
    # curl does not say whether the host is down or refuses.
    (("couldn't connect to server",), f"{_AWAY}: nothing answers at {{host}}",
     "If it should be up, see what it says:  {look}"),
    (_OFFLINE, _AWAY, ""),
    (_NO_GIT, "git is not installed on {host}, or not where ssh finds it",
     "Install git there, then run the command again."),
    (("does not appear to be a git repository", "repository not found", "does not exist",
      "no such file or directory", "not found", "not a git repository"),
     "there is no git repository at {url}",
     "Create it with:  anamnesis remote --create {quoted}"),
    (("dubious ownership",), "git does not trust the owner of {url}",
     "Let the same user own both, or add it to git's safe.directory."),
    (("fetch first", "non-fast-forward"),
     "other machines kept pushing to {url} first",
     "Your notes are committed here. Try again:  anamnesis sync"),
)  # fmt: skip


def explain(finished: Finished, url: str, seconds: float) -> Trouble:
    """What a failed command means, in words."""
    if finished.timed_out:
        return Trouble(f"{shown(url)} did not answer within {seconds:g} s", offline=True)
    # With --porcelain git says on standard output what the other side refused.
    complaint = (finished.err + b"\n" + finished.out).decode("utf-8", "replace")
    lowered = complaint.lower()
    host = re.sub(r"^\w+://|[:/].*$", "", re.sub(r"^\w+://", "", shown(url)))
    reason = shown(_reason(complaint)) or f"git ended with code {finished.code} and gave no reason"
    facts = {"url": shown(url), "host": host, "reason": reason, "quoted": quoted(url)}
    facts["unlock"] = _unlock(complaint, url)
    facts["look"] = f"ssh {_login(url)}" if is_ssh(url) else f"git ls-remote {quoted(url)}"
    copy, helper = f":  ssh-copy-id {_login(url)} &&", " (a credential helper), then run: "
    facts["let_in"] = copy if is_ssh(url) else helper
    if elsewhere := _rewritten(complaint, url):
        return Trouble(
            f"there is no git repository at {elsewhere}, "
            f"which git's insteadOf makes of {shown(url)}",
            "See the rule, then correct or remove it:  git config --get-regexp insteadof",
        )
    for signs, message, hint in _MEANINGS:
        if any(sign in lowered for sign in signs):
            away = message.startswith(_AWAY)
            return Trouble(message.format(**facts), hint.format(**facts), offline=away)
    return Trouble("{url}: {reason}".format(**facts))


def _rewritten(complaint: str, url: str) -> str:
    """The path that git looked at instead of a URL, because a setting of git rewrites it."""
    from urllib.parse import unquote

    named = re.search(r"'(/[^'\n]+)' does not appear to be a git repository", complaint)
    return named[1] if named and named[1] not in unquote(url) else ""


def quoted(url: str) -> str:
    """A URL without its password, as it is pasted into a shell."""
    import shlex

    return shlex.quote(shown(url))


def _login(url: str) -> str:
    """The arguments for ssh to reach a URL: user, host and port."""
    named = re.match(r"(?i)[\w+]+://([^/:]+)(?::(\d+))?", shown(url))
    if named is None:
        return quoted(url.partition(":")[0])
    return f"-p {named[2]} {quoted(named[1])}" if named[2] else quoted(named[1])


def _unlock(complaint: str, url: str) -> str:
    """The command that removes the lock file that git complains of."""
    import shlex

    named = re.search(r"'([^'\n]+\.lock)': File exists", complaint)
    remove = f"rm {shlex.quote(named[1].replace('/./', '/'))}" if named else "rm main.lock"
    return f"ssh {_login(url)} {shlex.quote(remove)}" if is_ssh(url) else remove


def _reason(complaint: str) -> str:
    """The line of an answer that names the cause."""
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    if "hook declined" in complaint:  # what the hook printed says why
        printed = [line[7:].strip() for line in lines if line.startswith("remote:")]
        return (
            "; ".join(filter(None, printed))[:300] or "a hook there declined it without saying why"
        )
    for start in ("remote: fatal:", "remote: error:", "fatal:", "error:"):
        for line in lines:
            if line.startswith(start):
                return line.removeprefix(start).strip()
    return lines[-1] if lines else ""
