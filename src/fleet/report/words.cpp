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
    case pattern::intermittent: return "intermittent";
    case pattern::wrong_data: return "wrong_data";
    case pattern::link_generation: return "link_generation";
    case pattern::link_width: break;
  }
  return "link_width";
}

std::string to_string(doubt doubt) {
  switch (doubt) {
    case doubt::no_peers: return "no_peers";
    case doubt::class_not_measured: return "class_not_measured";
    case doubt::missing_figures: return "missing_figures";
    case doubt::uncompared_figures: return "uncompared_figures";
    case doubt::single_benchmark: return "single_benchmark";
    case doubt::link_below_maximum: return "link_below_maximum";
    case doubt::noise: break;
  }
  return "noise";
}

std::string explain(doubt doubt) {
  switch (doubt) {
    case doubt::no_peers: return "without GPUs of the same model on other nodes";
    case doubt::class_not_measured:
      return "without figures that peers have, too, in a class that decides";
    case doubt::missing_figures: return "without figures that most peers have";
    case doubt::uncompared_figures: return "with figures that most peers do not have";
    case doubt::single_benchmark: return "slow in one benchmark alone";
    case doubt::link_below_maximum:
      return "with a link below what both ends can do, like the links of the peers";
    case doubt::noise: break;
  }
  return "the fleet differs too much, or is too small: a slow GPU or node might not have been "
         "found";
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
