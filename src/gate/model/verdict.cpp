#include "src/gate/model/verdict.hpp"

namespace bench_transfers::gate {

std::string to_string(verdict result) {
  switch (result) {
    case verdict::slower: return "slower";
    case verdict::faster: return "faster";
    case verdict::ambiguous: return "ambiguous";
    case verdict::missing: return "missing";
    case verdict::added: return "new";
    case verdict::not_known: return "not_known";
    case verdict::unchanged: break;
  }
  return "unchanged";
}

std::string to_string(exit_code code) {
  switch (code) {
    case exit_code::pass: return "PASS";
    case exit_code::regression: return "REGRESSION";
    case exit_code::environment: return "ENVIRONMENT_SLOWER";
    default: return "INCONCLUSIVE";
  }
}

}  // namespace bench_transfers::gate
