#include "src/fleet/report/words.hpp"

namespace bench_transfers::fleet {

std::string to_string(verdict verdict) {
  switch (verdict) {
    case verdict::healthy: return "healthy";
    case verdict::named: return "named";
    case verdict::unknown: break;
  }
  return "unknown";
}

std::string to_string(scope scope) {
  switch (scope) {
    case scope::gpu: return "gpu";
    case scope::node: return "node";
    case scope::rack: break;
  }
  return "rack";
}

std::string to_string(pattern pattern) {
  switch (pattern) {
    case pattern::slow: return "slow";
    case pattern::slow_one_direction: return "slow_one_direction";
    case pattern::slow_together: return "slow_together";
    case pattern::slow_some: return "slow_some";
    case pattern::link_generation: return "link_generation";
    case pattern::link_width: break;
  }
  return "link_width";
}

std::string describe(const aspect& aspect) {
  const auto towards = [&]() -> std::string {
    switch (aspect.towards) {
      case direction::h2d: return " h2d";
      case direction::d2h: return " d2h";
      case direction::both: return " both ways";
      case direction::none: break;
    }
    return "";
  }();
  return to_string(aspect.kind) + towards +
         (aspect.together ? ", all GPUs of the node at once" : "");
}

}  // namespace bench_transfers::fleet
