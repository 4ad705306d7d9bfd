#include "bench/record/listing.hpp"

#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/bench/test_strategy.hpp"

namespace bench_transfers::bench::listing_test {
namespace {

/// Lists a strategy that the given devices refuse.
std::string listed(std::size_t devices, const std::vector<std::size_t>& refusing) {
  std::vector<std::unique_ptr<transfers::device>> opened;
  std::vector<named_device> named;
  for (std::size_t i = 0; i < devices; ++i) {
    opened.push_back(transfers::open_host_device());
    named.push_back({"cuda:" + std::to_string(i), *opened.back()});
  }
  requirements needs;
  needs.why_unsupported = [&](const transfers::device& device) -> std::optional<std::string> {
    for (const auto index : refusing)
      if (&device == opened[index].get()) return "too old";
    return std::nullopt;
  };
  const auto strategy = test_strategy("copy/new", {}, needs, bench::named({"h2d"}));
  std::ostringstream out;
  list_strategies(out, {&strategy}, named);
  return out.str();
}

TEST(list_of_strategies, says_of_each_device_whether_it_runs_there) {
  EXPECT_THAT(listed(3, {}), HasSubstr("h2d; runs on all devices\n"));
  EXPECT_THAT(listed(3, {1}), HasSubstr("h2d; runs on cuda:0, cuda:2; not on cuda:1: too old\n"));
  EXPECT_THAT(listed(3, {0, 2}), HasSubstr("runs on cuda:1; not on cuda:0, cuda:2: too old"));
  EXPECT_THAT(listed(2, {0, 1}),
              AllOf(HasSubstr("not on any device: too old"), Not(HasSubstr("runs on"))));
}

TEST(list_of_strategies, names_no_device_if_there_is_one) {
  EXPECT_THAT(listed(1, {}), HasSubstr("h2d; runs on this device\n"));
  EXPECT_THAT(listed(1, {0}), HasSubstr("h2d; not on this device: too old\n"));
}

}  // namespace
}  // namespace bench_transfers::bench::listing_test
