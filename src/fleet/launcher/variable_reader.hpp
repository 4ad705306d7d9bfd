#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/fleet/launcher/rank.hpp"

namespace bench_transfers::fleet {

/// Variables that say the same, of which the first that is set counts; the rest is null.
using variable_names = std::array<const char*, 4>;

/// Reads variables, and keeps which were seen.
class variable_reader {
 public:
  explicit variable_reader(const environment& variables) : variables_(variables) {}

  /// The first that is set.
  std::optional<std::string> value(const variable_names& alternatives);
  /// The same, printable; empty if none is set.
  std::string text(const variable_names& alternatives);
  /// Throws bad_rank.
  std::optional<std::size_t> number(const variable_names& alternatives, std::size_t least,
                                    std::size_t most);

  /// "RANK=1, WORLD_SIZE=2"
  [[nodiscard]] std::string seen() const;

 private:
  const environment& variables_;
  const char* name_ = "";
  std::vector<std::string> seen_;
};

}  // namespace bench_transfers::fleet
