#include "bench/strategy/metric_kinds.hpp"

#include <utility>

namespace bench_transfers::bench {

using result_file::better;
using result_file::metric;
using result_file::metric_kind;

metric time_metric(std::string name, std::string description, bool headline) {
  return {std::move(name),        "ns",    metric_kind::duration, better::less,
          std::move(description), headline};
}

metric rate_metric(std::string name, std::string description, bool headline) {
  return {std::move(name),        "GB/s",  metric_kind::rate, better::more,
          std::move(description), headline};
}

metric share_metric(std::string name, std::string description, std::optional<better> preferred,
                    bool headline) {
  return {std::move(name), "%", metric_kind::share, preferred, std::move(description), headline};
}

metric count_metric(std::string name, std::string description, std::optional<better> preferred) {
  return {std::move(name), "1", metric_kind::count, preferred, std::move(description)};
}

metric size_metric(std::string name, std::string description) {
  return {std::move(name), "B", metric_kind::size, std::nullopt, std::move(description)};
}

}  // namespace bench_transfers::bench
