"""Secrets in lines that were written apart from the rules, and lines without any."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from anamnesis.redact import redact
from corpus import held_out, phrasings, places, voices
from corpus.formats import draw
from corpus.written_apart import HARMLESS, SECRETS

_BY_HAND = Path(__file__).parents[1] / "corpus" / "passwords_by_hand.txt"
MOST_LEFT_BY_HAND = 0.12  # plain words, one digit, numbers that only a sentence explains
KNOWN_TO_PASS = 2  # a password without a digit after "pass", and one that nothing names


def _left(text: str, secret: str) -> bool:
    return secret[-12:] in redact(text)


def test_secrets_in_lines_written_apart_are_found() -> None:
    left = [text for text, secret in SECRETS if _left(text, secret)]

    assert len(left) <= KNOWN_TO_PASS, left


def test_harmless_lines_written_apart_stay_as_they_are() -> None:
    changed = [line for line in HARMLESS if redact(line) != line]

    assert changed == []


def test_most_passwords_that_people_write_by_hand_are_found() -> None:
    lines = _BY_HAND.read_text("utf-8").splitlines()
    every = [
        (re.sub("[«»]", "", line), said) for line in lines for said in re.findall("«(.*?)»", line)
    ]

    left = [line for line, password in every if password in redact(line)]

    assert len(left) <= MOST_LEFT_BY_HAND * len(every), left


def test_redacting_twice_changes_nothing_more() -> None:
    for text, _ in SECRETS:
        assert redact(redact(text)) == redact(text)


MOST_LEFT = 0.03  # of lines with a secret; values that begin like a variable are most of them
MOST_CHANGED = 0.01  # of harmless lines


def test_secrets_in_everyday_phrasings_are_found() -> None:
    lines = [drawn_line for seed in range(4) for drawn_line in phrasings.drawn(seed)]

    left = [line for line, secret in lines if secret[:8] in redact(line) or secret in redact(line)]

    assert len(left) <= MOST_LEFT * len(lines), left


def test_harmless_lines_beside_them_stay() -> None:
    changed = [line for line in phrasings.HARMLESS if redact(line) != line]

    assert len(changed) <= MOST_CHANGED * len(phrasings.HARMLESS), changed


MOST_LEFT_OF_VOICES = 0.05  # passwords that nothing names, or that are words like others
MOST_CHANGED_OF_VOICES = 0.004


def test_secrets_that_many_voices_write_down_are_found() -> None:
    every = [(line, secret) for line, secrets in voices.drawn(1) for secret in secrets]

    left = [line for line, secret in every if secret in redact(line)]

    assert len(left) <= MOST_LEFT_OF_VOICES * len(every), left


def test_what_many_voices_say_without_a_secret_stays() -> None:
    changed = [line for line in voices.HARMLESS if redact(line) != line]

    assert len(changed) <= MOST_CHANGED_OF_VOICES * len(voices.HARMLESS), changed


# Of documented formats in the places of many programs and languages; of places that were written
# after the rules, and of those written last, by which no rule was corrected (decision 141).
MOST_LEFT_OF_PLACES = {"": 0.01, "apart": 0.04, "last": 0.1}
MOST_CHANGED_OF_HARMLESS_PLACES = 0.01


def test_secrets_of_documented_formats_are_found_where_they_are_written_down() -> None:
    found = {part: [0, 0] for part in MOST_LEFT_OF_PLACES}
    for placed in places.drawn(seed=1, each=3):
        counted = found[placed.kind if placed.kind in found else ""]
        counted[0] += len(places.left_in(redact(placed.text), placed))
        counted[1] += len(placed.secrets)

    assert found[""][1] > 3_500
    shares = {part: left / every for part, (left, every) in found.items()}
    assert all(share <= MOST_LEFT_OF_PLACES[part] for part, share in shares.items()), shares


def test_checksums_ids_and_talk_about_passwords_stay() -> None:
    text = (Path(__file__).parents[1] / "corpus" / "places_harmless.txt").read_text("utf-8")
    lines = [
        draw(line.replace("\\n", "\n"), random.Random(f"{seed} {line}"))
        for line in text.splitlines()
        for seed in range(4)
    ]

    changed = [line for line in lines if redact(line) != line]

    assert len(changed) <= MOST_CHANGED_OF_HARMLESS_PLACES * len(lines), changed


# Written only to measure, each round after the weights that it measured (decision 215).
@pytest.mark.parametrize(
    ("which", "most"),
    [
        ("first", 0.08),
        ("second", 0.08),
        ("third", 0.08),
        ("fourth", 0.02),
        ("fifth", 0.03),
        ("sixth", 0.08),
        ("seventh", 0.05),
        ("eighth", 0.06),
        ("ninth", 0.04),
        ("tenth", 0.05),
        ("eleventh", 0.06),  # nothing was learned from these two
        ("twelfth", 0.05),
        ("thirteenth", 0.01),
        ("fourteenth", 0.02),
        ("sixteenth", 0.03),
    ],
)
def test_most_secrets_in_lines_that_were_written_to_measure_are_found(
    which: str, most: float
) -> None:
    every = list(held_out.drawn(which))

    left = [secret for placed in every for secret in places.left_in(redact(placed.text), placed)]

    assert len(left) <= most * sum(len(placed.secrets) for placed in every), left


def test_lines_that_were_written_to_fool_it_stay() -> None:
    text = (Path(__file__).parents[1] / "corpus" / "held_out_harmless.txt").read_text("utf-8")
    lines = [line.replace("\\n", "\n") for line in text.splitlines()]

    changed = [line for line in lines if redact(line) != line]

    assert len(lines) > 10_000
    assert len(changed) <= 0.003 * len(lines), changed


@pytest.mark.parametrize(
    "line",
    [
        "Select a slicer (slic3r/prusaslicer), model, profile (for Slic3r family), output file",
        "- Composite score: `Ship*0.35 + Lift*0.30 + Reach*0.25`",
    ],
)
def test_names_and_formulas_of_real_sessions_stay(line: str) -> None:
    assert redact(line) == line


def test_harmless_lines_that_nothing_was_learned_from_mostly_stay() -> None:
    file = Path(__file__).parents[1] / "corpus" / "held_out_unseen_harmless.txt"
    lines = [line.replace("\\n", "\n") for line in file.read_text("utf-8").splitlines()]

    changed = [line for line in lines if redact(line) != line]

    assert len(lines) > 1_500
    assert len(changed) <= 0.015 * len(lines), changed


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("export BORG_PASSPHRASE=tundra.walks.sideways", "tundra"),
        ("the door code of the server room changed to 77310# as of Monday", "77310"),
        ("Die PIN vom Firmenhandy ist 8815", "8815"),
        ("the passphrase of my ssh key is mind the gap between 2 trains, as ever", "gap"),
        ("Recovery codes: exeig-z3h2a, y4psh-3anjs, y8tvz-9fqmm", "9fqmm"),
        ("use lighthouse_keeper_12 as the admin password on the demo tenant", "lighthouse"),
        ("$ pass show work/jira\nKn0bl4uch-Brot\nuser: lvogt", "Kn0bl4uch"),
        ("la contraseña del NAS es golondrina", "golondrina"),
        ("het wachtwoord is stroopwafel", "stroopwafel"),
        ("MQTT_PASS: kingfisherblue", "kingfisher"),
        ('password = os.getenv("SMTP_PASSWORD", "gingerbread")', "gingerbread"),
        ("tom: what is the root password?\nanna: hollandaise", "hollandaise"),
        ("$ cat /run/secrets/smtp_password\nmarzipan", "marzipan"),
        ("type 4711 as the pin", "4711"),
        ("senha do roteador: pastel de nata quentinho", "quentinho"),
        ("| user | password |\n|---|---|\n| eva | buttercream |", "buttercream"),
        ("service  user   pw\nnexus    ci     Straw_Hat_66", "Straw_Hat"),
        ("<raj> can u resend the jump host pw\n<mia> jumpFrog_88kero", "jumpFrog"),
        ("config/master.key\n834357f98785819ad86587f6dafcc00e", "834357f9"),
        ("smtp_auth_password: brisk Otter 112", "Otter"),
        ("Server=db1;User ID=crm;Password=Az'ure\"Sky1;Timeout=30", "ure"),
        ("New password: gauge$Needle7\nand again: gauge$Needle7", "Needle7"),
        ("the pw stays toner-leer-immer (Mark objected)", "toner"),
        ("Alarm panel code is 4471, disarm before 7am", "4471"),
    ],
)
def test_what_a_text_calls_a_password_may_be_made_of_anything(line: str, secret: str) -> None:
    assert secret not in redact(line)


@pytest.mark.parametrize(
    "line",
    [
        "GPIO pin 4711 is the relay",
        "The passphrase is stored in the vault.",
        "password: chiedere a Paola",
        "The password is mandatory, the token optional.",
        "Senha: obrigatória",
        "password = request.form['password']",
        "tom: did you change the password?\nanna: yesterday",
        "Das Passwort ist abgelaufen.",
        "password strength: zxcvbn score must be at least 3",
        "AUTH_PROVIDER=keycloak",
        "SECRET_KEY=please-generate-one",
        'pwd; env", "tool_use_id": "toolu_660565ec92825"',
        "fixes python/cpython#91169, see Bug#1020213",
        "License: BSD-3-clause-John-Birrell",
        "$pw = Read-Host -AsSecureString 'New password'",
        "lpass show --password 'VPN HQ'",
        "883c3e6895f471be0c8a5788751057e0  ./docs/password-policy.pdf",
        "\t* agent/genkey.c (ask_new_passphrase): Extend the maximum.",
        "PASS: ld-ifunc/ifunc-13-x86-64\nPASS: ld-ifunc/ifunc-14-i386",
        "Which password manager do you use?\nanna: bitwarden",
        "Parola: yöneticiye sorun",
        "key: PKCS12PrivateKeyTypes | None,",
    ],
)
def test_remarks_about_a_secret_stay(line: str) -> None:
    assert redact(line) == line


def test_a_password_is_found_by_what_it_looks_like_where_nothing_mentions_one() -> None:
    assert "Movie!336" not in redact("remember: door alarm Movie!336")


@pytest.mark.parametrize(
    "line",
    [
        "login fails on iOS17 but works on Android14",
        "if password != confirm_password: raise ValidationError",
        "kubectl get secret app-tls-2024 -o yaml",
        "rdp session to win-server-2022 hangs",
        "password=form_data.password",
        "user 550e8400-e29b-41d4-a716-446655440000 logged in from Chrome131",
    ],
)
def test_names_near_a_mention_of_a_secret_stay(line: str) -> None:
    assert redact(line) == line
