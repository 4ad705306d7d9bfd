"""Words that stopped readers do not come back into pages that are free of them.

A word of the project's own has its meaning in docs/GLOSSARY.md, to which each of these pages links.
"""

from __future__ import annotations

import re

import pytest
from page_claims import without_code
from rooms import ROOT

NAMES = """
ADVISE COMPARE DOCTOR EXPORTS FLEET GATE MAP METHOD OUTPUT REPORT RESULT_FILE SITE SWEEP
"""
CLEAN = ["README.md", *(f"docs/{name}.md" for name in NAMES.split())]
#: What not to write, and what to write.
PATTERNS = {
    r"\bt(?:old|ells?) (?:from|apart|nothing)\b": "significant, or not",
    r"\bbeyond doubt\b": "significantly",
    r"\bin turn\b": "alternately, one after the other",
    r"\bmend(?:s|ed)?\b": "fix",
    r"\bordinary memory\b": "pageable memory",
    r"\bcop(?:y|ies) (?:to|from) the GPUs?\b|\bGB/s (?:to the GPU|back)\b": "to the device",
    r"\bGB/s from the (?:host|device|GPU)\b|\bcop(?:y|ies) from the host\b": "to the device, host",
    r"\blikewise\b": "in the same way",
    r"\bpass(?:es|ed)? over\b|\bputs? aside\b": "ignore, rename",
    r"\bone's own\b": "yours",
    r"(?:^|[.:] )What [^.?|]*, (?:no|is|it)\b": "the subject first",
}


def findings(content: str) -> list[str]:
    """The words, and what to write; names, codes and quoted output do not count."""
    text = " ".join(without_code(re.sub(r"\*[^*\n]+\*", "", content)).split())
    return [
        f"{found[0]!r}: write {better!r}"
        for pattern, better in PATTERNS.items()
        for found in re.finditer(pattern, text)
    ]


@pytest.mark.parametrize("page", CLEAN)
def test_a_page_stays_plain(page: str) -> None:
    assert findings((ROOT / page).read_text("utf-8")) == []


@pytest.mark.parametrize("page", CLEAN)
def test_a_page_links_to_the_glossary(page: str) -> None:
    assert "GLOSSARY.md" in (ROOT / page).read_text("utf-8")


def test_words_that_stopped_readers_are_found() -> None:
    text = """Those cannot be told
    from the fastest: 31.7 GB/s from the host. What a link is, no rate can say. It is `in turn`."""
    assert len(findings(text)) == 3
