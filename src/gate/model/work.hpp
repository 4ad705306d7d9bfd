#pragma once

#include <optional>
#include <string>

namespace bench_transfers::gate {

/// How much one operation of another program's benchmark does. Google Benchmark's files have rates,
/// by the real time or by the CPU's, and do not tell by which.
struct amount {
  double by_real_time = 0, by_cpu_time = 0;
};

/// What one operation does.
struct work {
  unsigned procedure = 1;  ///< of bench_transfers: the number of what measures it
  std::optional<amount> bytes = {}, items = {};  ///< of one operation: rate times time
  std::string label = {};                        ///< may be empty
};

/// What two operations differ in: the key of Google Benchmark's rows, and both sides as texts.
struct work_difference {
  std::string key, before, after;
};

/// Whether operations move as many bytes. Baselines keep nine digits.
bool is_same_number(double before, double after);

/// Whether two procedures have measured a benchmark: then no figures of it are compared.
bool is_other_procedure(const work& before, const work& after);

/// None if both do as much. What `before` does not tell is not compared.
std::optional<work_difference> difference_of(const work& before, const work& after);

/// Forgets what another run of the same benchmark does not confirm.
void keep_common(work& known, const work& another);

}  // namespace bench_transfers::gate
