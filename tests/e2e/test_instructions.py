"""The instructions of the built program that read and write memory."""

from __future__ import annotations

import platform
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from calls import call
from program import LIMIT_S, Program, Result

HEADER = re.compile(r"[0-9a-f]+ <(.+)>:")
LINE = re.compile(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)")
OPERANDS = re.compile(r",(?![^(]*\))")  # not the commas of an address
BYTES_OF = {"xmm": 16, "ymm": 32, "zmm": 64}


@dataclass(frozen=True)
class Instruction:
    address: int
    name: str
    operands: tuple[str, ...]  # in AT&T order: the destination is last

    @property
    def reads_memory(self) -> bool:
        if self.name.startswith(("lea", "nop", "prefetch", "j", "call")):
            return False
        is_move = self.name.startswith(("mov", "vmov"))
        of_memory = self.operands[:-1] if is_move or not self.is_comparison else self.operands
        return any("(" in operand for operand in of_memory)

    @property
    def is_comparison(self) -> bool:
        return self.name.startswith(("cmp", "test"))

    @property
    def writes_memory(self) -> bool:
        ignored = self.is_comparison or self.name.startswith(("nop", "prefetch", "j", "call"))
        return bool(self.operands) and "(" in self.operands[-1] and not ignored

    @property
    def jumps_to(self) -> int | None:
        if not self.name.startswith("j"):
            return None
        target = re.match(r"([0-9a-f]+)", self.operands[0])
        return int(target[1], 16) if target else None


@dataclass(frozen=True)
class Function:
    name: str
    body: list[Instruction]

    def loops(self) -> Iterator[list[Instruction]]:
        """The innermost loops: from the target of a backward jump to the jump."""
        spans = [
            (jump.jumps_to, jump.address)
            for jump in self.body
            if jump.jumps_to is not None and self.body[0].address <= jump.jumps_to <= jump.address
        ]
        for first, last in spans:
            if any(first <= a and b <= last and (a, b) != (first, last) for a, b in spans):
                continue
            yield [instruction for instruction in self.body if first <= instruction.address <= last]


def parsed(text: str, names: re.Pattern[str]) -> Iterator[Function]:
    function = None
    for line in text.splitlines():
        if line.endswith(">:") and (header := HEADER.fullmatch(line)):
            if function:
                yield function
            function = Function(header[1], []) if names.search(header[1]) else None
        elif function and (match := LINE.fullmatch(line)):
            text_of_operands = match[3].split("<")[0].split("#")[0].strip()
            operands = tuple(
                operand.strip() for operand in OPERANDS.split(text_of_operands) if operand
            )
            function.body.append(Instruction(int(match[1], 16), match[2], operands))
    if function:
        yield function


@pytest.fixture(scope="module")
def functions(program: Program, sample: Result) -> list[Function]:
    if platform.machine() != "x86_64":
        pytest.skip("the instructions looked for are those of x86-64")
    if shutil.which("objdump") is None:
        pytest.skip("there is no objdump here (package binutils)")
    if sample.transfers["program"]["build_type"] != "Release":
        pytest.skip("only an optimised program has the loops that are looked for")
    command = ["objdump", "-d", "-C", "-w", "--no-show-raw-insn", str(program.path)]
    completed = call(command, timeout=LIMIT_S, expected=0)
    tested = re.compile(r"bench::cpu::|transfers::\(anonymous namespace\)::load_lines\(")
    return list(parsed(completed.stdout, tested))


def find(functions: list[Function], name: str) -> Function:
    matches = [
        function
        for function in functions
        if f"::{name}(" in function.name and "[clone" not in function.name
    ]
    assert len(matches) == 1, [function.name for function in matches]
    return matches[0]


def loads_of(loop: list[Instruction]) -> list[Instruction]:
    return [instruction for instruction in loop if instruction.reads_memory]


def stores_of(loop: list[Instruction]) -> list[Instruction]:
    return [instruction for instruction in loop if instruction.writes_memory]


def only_loop(function: Function) -> list[Instruction]:
    loops = list(function.loops())
    assert len(loops) == 1, function.name
    return loops[0]


def width(instruction: Instruction) -> int:
    """Bytes that a move between memory and a register moves."""
    (register,) = (operand for operand in instruction.operands if "(" not in operand)
    if vector := re.match(r"%([xyz]mm)\d+", register):
        return BYTES_OF[vector[1]]
    assert re.fullmatch(r"%r\w\w?", register), register  # %rax, %r8, but not %eax
    return 8


def is_vector(instruction: Instruction) -> bool:
    return any("mm" in operand for operand in instruction.operands)


def steps_of(loop: list[Instruction]) -> set[int]:
    """Bytes by which the loop advances registers: the constants that it adds to them."""
    signs = {"add": 1, "sub": -1}  # adding 128 is subtracting -128, which is shorter
    constants = (
        signs[instruction.name[:3]] * int(instruction.operands[0][1:], 0)
        for instruction in loop
        if instruction.name[:3] in signs and instruction.operands[0].startswith("$")
    )
    return {(constant + 2**63) % 2**64 - 2**63 for constant in constants}


def assert_covers_each_step(loop: list[Instruction], moves: list[Instruction], each: int) -> None:
    """The moves cover exactly the loop's step: none is merged, none is missing."""
    assert {width(move) for move in moves} == {each}
    assert len(moves) * each in steps_of(loop)


def test_scalar_reads_are_8_byte_loads_of_every_word(functions: list[Function]):
    loop = only_loop(find(functions, "read_words"))
    assert not any(is_vector(instruction) for instruction in loop)
    loads = loads_of(loop)
    assert {load.name for load in loads} <= {"mov", "xor"}
    assert_covers_each_step(loop, loads, 8)
    assert stores_of(loop) == []


@pytest.mark.parametrize(
    ("name", "register"), [("read_sse2", "xmm"), ("read_avx2", "ymm"), ("read_avx512", "zmm")]
)
def test_vector_reads_are_loads_of_whole_registers(
    functions: list[Function], name: str, register: str
):
    function = find(functions, name)
    loops = list(function.loops())
    (main,) = (loop for loop in loops if any(is_vector(load) for load in loads_of(loop)))
    loads = loads_of(main)
    assert all(re.match(r"v?mov(dq|[au]p)|v?pxor", load.name) for load in loads)
    assert all(f"%{register}" in " ".join(load.operands) for load in loads)
    assert_covers_each_step(main, loads, BYTES_OF[register])
    assert stores_of(main) == []
    # The remainder, less than a round, is read word by word.
    for loop in loops:
        if loop is not main:
            assert {width(load) for load in loads_of(loop)} <= {8}


@pytest.mark.parametrize(
    ("name", "instruction", "each"),
    [
        ("write_streaming_sse2", "movntdq", 16),
        ("write_streaming_avx2", "vmovntdq", 32),
        ("write_streaming_avx512", "vmovntdq", 64),
    ],
)
def test_streaming_writes_are_non_temporal_stores_and_a_fence(
    functions: list[Function], name: str, instruction: str, each: int
):
    function = find(functions, name)
    loop = only_loop(function)
    stores = stores_of(loop)
    assert {store.name for store in stores} == {instruction}
    assert_covers_each_step(loop, stores, each)
    assert loads_of(loop) == []
    assert "sfence" in {instruction.name for instruction in function.body}


def test_streaming_loads_are_those_of_whole_lines_one_after_the_other(functions: list[Function]):
    loop = only_loop(find(functions, "load_lines"))
    loads = loads_of(loop)
    assert {load.name for load in loads} <= {"movntdqa", "vmovntdqa"}
    assert len(loads) % 4 == 0
    assert_covers_each_step(loop, loads, 16)
    # No store comes between the loads of a line.
    stores = stores_of(loop)
    order = [
        "load" if instruction in loads else "store"
        for instruction in loop
        if instruction in loads + stores
    ]
    assert order[:4] == ["load"] * 4
    assert order.count("store") == order.count("load")


def test_reads_by_streaming_loads_go_through_the_librarys_function(functions: list[Function]):
    body = find(functions, "read_by_streaming_loads").body
    assert any(instruction.name.startswith("call") for instruction in body)


def test_random_reads_load_once_from_an_address_that_depends_on_the_load_before(
    functions: list[Function],
):
    loop = only_loop(find(functions, "read_random"))
    (load,) = loads_of(loop)
    assert stores_of(loop) == []
    assert (load.name, width(load)) == ("mov", 8)
    # Follows the loaded value around the loop to the address of the load.
    tainted = {load.operands[1]}
    start = loop.index(load) + 1
    for instruction in loop[start:] + loop[: start - 1]:
        *sources, target = instruction.operands or ("",)
        reads_tainted = any(register in " ".join(sources) for register in tainted)
        if instruction.name.startswith(("mov", "lea")):
            (tainted.add if reads_tainted else tainted.discard)(target)
        elif reads_tainted and not instruction.is_comparison:
            tainted.add(target)
    assert any(register in load.operands[0] for register in tainted)


def test_random_writes_store_once_and_load_nothing(functions: list[Function]):
    loop = only_loop(find(functions, "write_random"))
    (store,) = stores_of(loop)
    assert (store.name, width(store)) == ("mov", 8)
    assert loads_of(loop) == []


def test_strided_reads_load_once(functions: list[Function]):
    loop = only_loop(find(functions, "read_strided"))
    (load,) = loads_of(loop)
    assert width(load) == 8
    assert stores_of(loop) == []


def test_words_are_changed_by_a_load_and_a_store_each(functions: list[Function]):
    loop = only_loop(find(functions, "change_words"))
    assert not any(is_vector(instruction) for instruction in loop)
    loads, stores = loads_of(loop), stores_of(loop)
    inversions = [
        instruction
        for instruction in loop
        if instruction.name.startswith("not") and instruction.writes_memory
    ]
    assert len(loads) + len(inversions) == len(stores)
    assert 8 * len(stores) in steps_of(loop)
