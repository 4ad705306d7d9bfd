#pragma once

#include <string>

namespace bench_transfers::commands {

/// What a program that has nothing but commands says of itself.
struct program_words {
  const char* name;        ///< "fleet_transfers"
  std::string summary;     ///< "Tells which GPU of many is slow."
  std::string page;        ///< "docs/FLEET.md", which explains how it decides
  std::string exit_codes;  ///< the end of each help
  std::string examples;
};

/// Carries out the command that the line chooses, of all that are registered. Returns its exit
/// code, 0 after --help and the like, or 2 with one line on standard error for what cannot be used
/// or done.
int run_program(const program_words& words, int argc, const char* const* argv);

}  // namespace bench_transfers::commands
