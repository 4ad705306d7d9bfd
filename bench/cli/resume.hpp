#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/record/earlier_run.hpp"
#include "src/claims/file_claim.hpp"

namespace bench_transfers::bench {

/// A run that goes on with an earlier one. No other process writes the files meanwhile.
class resumption {
 public:
  /// `out`: where the whole is to go; empty: nowhere. Throws usage_error for a file that cannot be
  /// resumed, also because another process writes it.
  resumption(const std::filesystem::path& file, const std::filesystem::path& out);

  [[nodiscard]] const earlier_run& earlier() const noexcept { return earlier_; }

 private:
  claims::file_claim claim_, claim_of_out_;
  earlier_run earlier_;
};

/// The command line that measures what the file lacks: the file's options come first.
std::vector<std::string> resumed_arguments(const std::vector<std::string>& arguments,
                                           const earlier_run& earlier);

}  // namespace bench_transfers::bench
