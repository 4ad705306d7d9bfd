#pragma once

namespace bench_transfers::gate {

/// A visitor of variants from one function for each alternative.
template <class... Functions>
struct overloaded : Functions... {
  using Functions::operator()...;
};
/// Clang needs it up to version 16.
template <class... Functions>
overloaded(Functions...) -> overloaded<Functions...>;

}  // namespace bench_transfers::gate
