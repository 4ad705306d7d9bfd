#pragma once

#include "src/result_file/format.hpp"

namespace bench_transfers::advice {

/// A term of the predicted time, which measurements provide.
enum class term {
  transfer_h2d,
  transfer_d2h,
  transfer_both,  ///< what moves data there and back
  transfer_none,  ///< what has no direction
  allocation,
  deallocation,
  cpu_write,
  cpu_read
};

/// The transfer in a direction.
term transfer_term(result_file::direction towards);
/// Whether a term is a transfer.
bool is_transfer(term needed);
/// Whether it is allocation or release.
bool is_allocation(term needed);
/// Whether it is access by the CPU.
bool is_cpu_access(term needed);

}  // namespace bench_transfers::advice
