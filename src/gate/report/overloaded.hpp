#pragma once

namespace bench_transfers::gate {

/// A visitor of variants, made of a function for each alternative.
template <class... Functions>
struct overloaded : Functions... {
  using Functions::operator()...;
};

}  // namespace bench_transfers::gate
