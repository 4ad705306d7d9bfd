#include "src/program/run.hpp"

int main(int argc, char** argv) {
  return bench_transfers::commands::run_program(
      {.name = "fleet_transfers",
       .summary = "Tells which GPU of many is slow.",
       .page = "docs/FLEET.md",
       .exit_codes = "Exit codes: 0 healthy (or done), 1 something is named, 2 bad input or usage, "
                     "3 not known.",
       .examples = "Examples:\n"
                   "  fleet_transfers collect sweep --out=sweep.json.gz\n"
                   "  fleet_transfers judge sweep.json.gz --reference=accepted.json.gz\n"
                   "  fleet_transfers history sweeps --json=history.json"},
      argc, argv);
}
