#include "src/program/run.hpp"

int main(int argc, char** argv) {
  return bench_transfers::commands::run_program(
      {.name = "gate_transfers",
       .summary = "Tells whether transfers got slower.",
       .page = "docs/GATE.md",
       .exit_codes = "Exit codes: 0 pass (or done), 1 regression, 2 bad input or usage, "
                     "3 inconclusive,\n4 (check) the environment is slower: a class as a whole.",
       .examples = "Examples:\n"
                   "  gate_transfers pin run-*.json --out=baseline.json\n"
                   "  gate_transfers check baseline.json new-*.json\n"
                   "  gate_transfers show run-*.json"},
      argc, argv);
}
