"""What a wheel of programs has to say that pyproject.toml cannot."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

NEEDS = tomllib.loads((Path(__file__).parent / "../packaging/requirements.toml").read_text("utf-8"))


class Tag(BuildHookInterface):  # type: ignore[type-arg]
    """Of any Python, and of the systems that have the C library of the bundle or a later one."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        build_data["pure_python"] = False
        glibc = NEEDS["bundle"]["glibc"].replace(".", "_")
        build_data["tag"] = f"py3-none-manylinux_{glibc}_x86_64"


class Report(MetadataHookInterface):
    """The extra `report`: that of the same version, where Python is new enough for it."""

    def update(self, metadata: dict[str, Any]) -> None:
        metadata["optional-dependencies"] = {
            "report": [f"bench-transfers-report=={metadata['version']}"]
        }
