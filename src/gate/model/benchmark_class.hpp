#pragma once

#include "src/result_file/benchmark_class.hpp"

namespace bench_transfers::gate {

using result_file::all_classes;
using result_file::benchmark_class;
using result_file::benchmark_class_from;
using result_file::class_of;

}  // namespace bench_transfers::gate
