#pragma once

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "src/common/command_line.hpp"

namespace bench_transfers::common {

/// A mode of a program or command, the words that choose it, and the options that have no effect in
/// it.
template <class Mode>
struct mode_of_options {
  Mode chosen;
  std::string_view words;
  std::span<const std::string_view> without_effect;
};

/// Whether an option may be there because of its variable alone.
inline bool may_be_of_environment(const CLI::Option& option) {
  const auto name = option.get_envname();
  return !name.empty() && std::getenv(name.c_str()) != nullptr;
}

/// Throws usage_error for the first option of a command line without an effect in a mode. What
/// variables set does not count.
template <class Mode>
void refuse_without_effect(const CLI::App& command, std::span<const mode_of_options<Mode>> modes,
                           Mode chosen) {
  for (const auto& mode : modes) {
    if (mode.chosen != chosen) continue;
    for (const auto name : mode.without_effect) {
      const auto* const option = command.get_option_no_throw(std::string(name));
      if (option != nullptr && option->count() > 0 && !may_be_of_environment(*option))
        throw usage_error(fmt::format("{} has no effect with {}", name, mode.words));
    }
  }
}

}  // namespace bench_transfers::common
