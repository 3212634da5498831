"""The named blocks of source files, found by structure alone."""

from __future__ import annotations

import pytest

from anamnesis.anchors.blocks import Outline
from anamnesis.anchors.source import fingerprint, without_comments

SOURCES = {
    "pay.py": (
        """\
class Gateway(Base):
    \"\"\"Pays.

At once: and (never twice.
    \"\"\"

    @retried
    def charge(
        self, amount: int
    ) -> Receipt:
        return self.send(amount)

    async def refund(self): ...


LIMIT = 5
""",
        {"Gateway": (1, 13), "Gateway.charge": (7, 11), "LIMIT": (16, 16)},
    ),
    "pay.go": (
        """\
package pay

func (g *Gateway) Charge(ctx context.Context) error {
	if ctx == nil { // a brace {
		return errors.New("none }")
	}
	return nil
}

type Gateway struct {
	limit int
}
""",
        {"Gateway.Charge": (3, 8), "Gateway": (10, 12)},
    ),
    "pay.rs": (
        """\
impl<'a> Display for Gateway<'a> {
    pub fn charge(&self, c: char) -> bool {
        c == '{' || c == '\\''
    }
}

#[derive(Debug)]
pub struct Limit {
    n: u8,
}
""",
        {"Gateway.charge": (2, 4), "Limit": (7, 10)},
    ),
    "pay.ts": (
        """\
export const charge = async (amount: number) => {
  return send(`${amount} {`)
}

export class Gateway extends Base {
  private refund(): void {
    stop()
  }
}
""",
        {"charge": (1, 3), "Gateway": (5, 9), "Gateway.refund": (6, 8)},
    ),
    "Pay.java": (
        """\
public class Pay
{
    public static <T> List<T> charge(int amount)
    {
        return null;
    }
}
""",
        {"Pay": (1, 7), "Pay.charge": (3, 6)},
    ),
    "pay.rb": (
        """\
module Pay
  def self.charge(amount)
    send amount
  end
end
""",
        {"Pay": (1, 5), "Pay.charge": (2, 4)},
    ),
    "pay.sql": (
        """\
CREATE TABLE payments (
  id INTEGER
);
""",
        {"payments": (1, 3)},
    ),
    "pay.tf": (
        """\
resource "aws_queue" "payments" {
  size = 5
}
""",
        {"payments": (1, 3)},
    ),
    "pay.yaml": (
        """\
jobs:
  charge:
    runs: now
""",
        {"jobs": (1, 3), "jobs.charge": (2, 3)},
    ),
    "pay.toml": (
        """\
[tool.pay]
limit = 5

[other]
x = 1
""",
        {"tool.pay": (1, 3)},
    ),
    "Makefile": (
        """\
charge: build
	./charge

build:
	cc
""",
        {"charge": (1, 2)},
    ),
    "pay.md": (
        """\
# Pay
Intro.
## Limits
Five.
# Other
""",
        {"Pay": (1, 4), "Limits": (3, 4)},
    ),
}


@pytest.mark.parametrize("path", SOURCES)
def test_a_block_is_found_by_its_name_in_any_language(path: str) -> None:
    text, wanted = SOURCES[path]
    outline = Outline(text, path)

    found = {name: outline.named(name) for name in wanted}

    places = {name: (block.start + 1, block.end) for name, block in found.items() if block}
    assert places == wanted


def test_a_definition_is_meant_and_not_a_call_before_it() -> None:
    text = "charge(\n    5,\n)\n\n\ndef charge(amount):\n    return amount\n"

    block = Outline(text, "pay.py").named("charge()")

    assert block is not None
    assert (block.start, block.defines) == (5, True)


def test_a_line_belongs_to_the_innermost_definition() -> None:
    block = Outline(SOURCES["pay.py"][0], "pay.py").around(9)

    assert block is not None
    assert block.name == "Gateway.charge"


@pytest.mark.parametrize(
    ("path", "one", "other"),
    [
        ("a.py", "x = f(a, b)\n", "# why\nx = f(\n    a,\n    b,  # how\n)\n"),
        ("a.js", "const f = x => g('a')", '/* why */\nconst f = (x) => {\n g("a");\n}'),
        ("a.go", "a := []int{1,2}\n", "a := []int{\n\t1, // one\n\t2,\n}\n"),
        ("a.sql", "SELECT a FROM b", "SELECT a -- the first\nFROM b;"),
    ],
)
def test_layout_and_comments_do_not_count(path: str, one: str, other: str) -> None:
    prints = {fingerprint(without_comments(text, path)) for text in (one, other)}

    assert len(prints) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("f(1, 23)", "f(12, 3)"), ("x = '#a'", "x = '#b'"), ("a + b", "a - b")]
)
def test_what_is_said_counts(one: str, other: str) -> None:
    assert fingerprint(without_comments(one, "a.py")) != fingerprint(
        without_comments(other, "a.py")
    )


def test_a_file_without_end_is_read_in_linear_time() -> None:
    text = "f(\n" * 3_000

    Outline(text, "a.py")  # an open bracket runs to the end of the file from each line


@pytest.mark.parametrize(
    ("path", "piece"),
    [
        ("a.js", "a"), ("a.js", "$."), ("a.js", "`\\"), ("a.js", "function a() {\n"),
        ("a.html", "<!--"), ("a.c", "/* "), ("a.cpp", "a <b "), ("a.rs", '"\\'), ("a.rs", "f(\n"),
        ("a.md", "# a\n"), ("a.toml", "[a]\n"), ("a.py", "'''a\\"),
    ],
)  # fmt: skip
def test_no_file_takes_time_that_grows_with_the_square_of_its_size(path: str, piece: str) -> None:
    text = piece * (150_000 // len(piece))

    outline = Outline(text, path)  # hours otherwise

    assert len(outline.blocks) <= text.count("\n") + 1


def test_decorators_on_several_lines_belong_to_what_they_decorate() -> None:
    short = '@command\n@option("-v", help="more")\ndef run(verbose):\n    return verbose\n'
    long = (
        '@command\n@option(\n    "-v",\n    help="more",\n)\n'
        "def run(\n    verbose,\n):\n    return verbose\n"
    )

    one, other = (Outline(text, "a.py") for text in (short, long))
    first, second = one.named("run"), other.named("run")
    assert first is not None
    assert second is not None

    assert (first.start, second.start) == (0, 0)
    assert one.fingerprint(first) == other.fingerprint(second)
