#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "src/common/message.hpp"

namespace bench_transfers::result_file {

/// Whether two procedures have measured a benchmark: then no figures of it are compared.
bool is_other_procedure(unsigned before, unsigned after);

/// The procedures of the benchmarks of several files.
class procedures {
 public:
  /// Whether it is another procedure than the first one of this benchmark.
  bool add(const std::string& benchmark, unsigned procedure);
  /// The benchmarks that several procedures have measured.
  [[nodiscard]] const std::set<std::string>& differing() const { return differing_; }

 private:
  std::map<std::string, unsigned> known_;
  std::set<std::string> differing_;
};

/// That figures of these benchmarks are not compared, and what to do; none if there are none.
std::optional<common::message> procedures_differ(const std::set<std::string>& benchmarks);

}  // namespace bench_transfers::result_file
