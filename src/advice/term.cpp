#include "src/advice/term.hpp"

namespace bench_transfers::advice {

term transfer_term(result_file::direction towards) {
  using enum result_file::direction;
  switch (towards) {
    case h2d: return term::transfer_h2d;
    case d2h: return term::transfer_d2h;
    case both: return term::transfer_both;
    case none: break;
  }
  return term::transfer_none;
}

bool is_transfer(term needed) { return !is_allocation(needed) && !is_cpu_access(needed); }
bool is_allocation(term needed) {
  return needed == term::allocation || needed == term::deallocation;
}
bool is_cpu_access(term needed) { return needed == term::cpu_write || needed == term::cpu_read; }

}  // namespace bench_transfers::advice
