#pragma once

namespace bench_transfers::statistics {

constexpr double square(double x) { return x * x; }

}  // namespace bench_transfers::statistics
