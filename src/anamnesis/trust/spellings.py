"""Signs that are no sentences: command lines, tags, tool calls, each with its points."""

# ruff: noqa: E501  (a pattern is read in one piece)
from __future__ import annotations

from typing import NamedTuple


class Spelling(NamedTuple):
    """A sign that is no sentence: a command line, a tag, a tool call."""

    kind: str
    points: int
    literals: tuple[str, ...]  # one of them is in every text that has it
    pattern: str


_SHELLS = (
    r"(?:sudo\s+)?(?:-\w+\s+)?(?:/bin/)?(?:(?:ba|z|da|k)?sh|python3?|node|perl|ruby|php|iex)\b"
)
SPELLINGS = (
    Spelling("shell", 2, ("|",), rf"\b(?:curl|wget|fetch|iwr|irm|base64)\b[^\n|]{{0,160}}\|\s*{_SHELLS}"),
    Spelling(
        "shell", 2, ("curl", "wget", "iex", "downloadstring"),
        r"(?:bash|sh|zsh|source|eval|\.)\s*(?:-c\s*)?[\"'<(`$ ]{1,4}\s*(?:curl|wget)\b|\biex\s*\(?\s*(?:\(|new-object|irm|iwr)|downloadstring",
    ),
    Spelling("shell", 2, ("-enc", "-urlcache", "mshta", "exec(", "eval("),
              r"powershell[^\n]{0,40}-e(?:nc(?:odedcommand)?)?\b|certutil -urlcache|\bmshta\b|(?:exec|eval)\([^\n]{0,30}(?:base64|urlopen|requests)"),
    Spelling("backdoor", 3, ("nc ", "ncat ", "/dev/tcp/"), r"\bn(?:c|cat|etcat)\b[^\n]{0,40}\s-e\b|/dev/tcp/"),
    Spelling("backdoor", 4, ("authorized_keys",), r">>\s*\S{0,40}authorized_keys"),
    Spelling("backdoor", 2, ("set-url", "base_url", "api_base"),
              r"git remote set-url \S+ https?://|\b(?:anthropic|openai)_(?:base_url|api_base)\s*[=:]\s*[\"']?https?://(?!localhost|127\.)"),
    Spelling("backdoor", 4, ("* *",), rf"(?:[\d*/,-]+\s+){{4}}[\d*/,-]+\s[^\n]{{0,40}}\b(?:curl|wget)\b[^\n|]{{0,120}}\|\s*{_SHELLS}"),
    Spelling("backdoor", 3, ("socat",), r"\bsocat\b[^\n]{0,60}\bexec:"),
    Spelling("weaken", 2, ("reject_unauthorized", "sslverify"), r"node_tls_reject_unauthorized\s*=\s*[\"']?0|http\.sslverify\s+false"),
    Spelling("weaken", 4, ("bash(*",), r"(?:^|[.;:¶] )(?:please )?(?:add|put|set|allow)\b[^\n.]{0,40}\bbash\(\*(?::\*)?\)"),
    Spelling("weaken", 3, ("chroot", "-v /:/"), r"-v /:/\w*[^\n]{0,60}chroot|--privileged[^\n]{0,60}chroot"),
    Spelling("shell", 2, ("curl", "wget"), r"\b(?:curl|wget)\b[^\n]{0,160}(?:&&|;)\s*(?:chmod \+x|sudo |sh |bash |\./)"),
    Spelling("exfiltrate", 3, ("secrets)", "env)"), r"tojson\((?:secrets|env)\)"),
    Spelling("exfiltrate", 4, ("$(cat",), r"\$\(cat [^)\n]{0,80}\)\.[\w.-]+\.\w"),
    Spelling("exfiltrate", 3, ("curl",), r"\bcurl\b[^\n]{0,40}\s(?:-t|-d|--data\S*|-f \S*) ?@?-\s"),
    Spelling("backdoor", 2, ("ssh -r", "-nr "), r"\bssh\b[^\n]{0,20}\s-\w*r\s+\d+:"),
    Spelling(
        "exfiltrate", 4, ("curl", "wget", "nc ", "ncat", "nslookup", "dig ", "scp "),
        r"\b(?:cat|env|printenv|tar|base64|zip|grep|find|set|history|gpg)\b[^|\n]{0,120}\|[^\n]{0,60}?\b(?:curl|nc|ncat|netcat|wget)\b"
        r"|\b(?:curl|wget|nslookup|dig|ping)\b[^\n]{0,120}?\$\(\s*(?:cat|env|printenv|base64|tar|whoami|hostname)\b"
        r"|\b(?:curl|wget)\b[^\n]{0,120}?(?:@|<|--upload-file[ =]|-t |--post-file[ =])\s*[\"']?[~./$\w]{0,30}(?:\.env\b|\.ssh|\.aws|id_rsa"
        r"|id_ed25519|credentials|\.netrc|\.npmrc|secrets?\b|passwd|shadow|kubeconfig|history)"
        r"|\bscp\b[^\n]{0,60}(?:\.ssh|\.aws|\.env|id_rsa|credentials)[^\n]{0,60}\S+@\S+:",
    ),
    Spelling("exfiltrate", 4, ("![",), r"!\[[^\]]{0,40}\]\(\s*https?://[^)]{0,120}(?:\{|\$|%7b|<)[^)]{0,60}\)"),
    Spelling("exfiltrate", 2, ("![",), r"!\[[^\]]{0,40}\]\(\s*https?://[^)]{0,120}[?&]\w{1,12}=\s*\)"),
    Spelling(
        "destroy", 2, ("rm -", "mkfs", "dd if=", ":()", "--force", "push -f", "--hard"),
        r"\brm\s+-\w*[rf]\w*\s+(?:--no-preserve-root\s+)?[\"']?(?:/(?:\s|\*|$|[\"'`.,;])|~|\$home|\*|\.(?:git)?(?:\s|/|$|[`\"']))"
        r"|\bmkfs\b|\bdd if=|:\(\)\s*\{|git push (?:-f|--force)\b|git reset --hard",
    ),
    Spelling("tool", 4, ("tool_use", "tool_call", "function_call", "invoke", "antml", "parameter", '"input"', "tool_code", "to=functions"), r"```tool_code|\bto=functions\.|<\s*(?:function_calls?|invoke name|tool_call|tool_use|antml:\w+|parameter name=)"
              r"|\"(?:tool_calls?|function_call|tool_use)\"\s*:|\"type\"\s*:\s*\"(?:tool_use|function_call)\"|\"input\"\s*:\s*\{\s*\"command\""),
    Spelling(
        "markup", 2, ("<", "[inst", "[/inst", "[system", "role", "###", "{{"),
        r"\{\{[#/~>]?\s?(?:system|assistant)\b|<\|?(?:im_start|im_end|system|endoftext|start_header_id|eot_id|assistant|user)\|?>|\[/?(?:inst|system)(?: note| message| prompt)?\]|<</?sys>>"
        r"|</?(?:system[-_]\w+(?: [^<>]{0,60})?|system|admin|instructions?|important|secret|memory|context)>"
        r"|[\"']?role[\"']?\s*:\s*[\"'](?:system|assistant|developer)|#{3,}\s*(?:system|instructions?|new instructions?)\b",
    ),
    Spelling("markup", 2, ("system:", "assistant:", "system override", "system message", "system notice", "begin ", "end of "),
              r"(?:^|[\s#*>¶])(?:system|assistant)\s*:\s|\bsystem (?:override|message|notice|alert)\b"
              r"|\b(?:begin|start|end)(?: of)? (?:operator|system|admin|developer|hidden|secret|priority|user|new) (?:message|instructions?|prompt|input|notes?)"),
    Spelling("hidden", 2, ("<!--", "display", "visibility", "font-size", "opacity", "[//]", "color"),
              r"<!--(?:(?!-->).){0,400}?\b(?:you|your|agents?|assistants?|claude|ai|llm|model|must|execute|curl|ignore|send)\b"
              r"|(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?!\.)|color\s*:\s*(?:#fff(?:fff)?|white"
              r"|transparent))[^<>]{0,60}>|\[//\]: ?#"),
)  # fmt: skip
