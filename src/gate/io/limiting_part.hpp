#pragma once

#include <string>

#include "src/gate/model/benchmark_class.hpp"
#include "src/result_file/format.hpp"

namespace bench_transfers::gate {

/// The class of a long operation: by role and memory. Without a GPU there is no link: its part is
/// played by host memory.
benchmark_class limited_by(const result_file::benchmark& described, bool on_host);

/// The same for a name in a baseline whose format does not have classes. Like run files of format
/// 1, such a baseline names only strategies of its time.
benchmark_class limited_by(const std::string& name, bool on_host);

}  // namespace bench_transfers::gate
