#include "src/gate/model/metric.hpp"

#include <string>

#include "src/gate/model/bad_input.hpp"
#include "src/gate/model/run.hpp"
#include "src/gate/report/figures.hpp"
#include "src/gate/report/wording.hpp"
#include "src/result_file/format.hpp"
#include "tests/basics.hpp"

namespace bench_transfers::gate::metric_test {
namespace {

using result_file::metric_kind;

metric declared(const std::string& key, const std::string& unit, metric_kind kind) {
  return metric::named(key).with(declaration{unit, kind, std::nullopt});
}

TEST(a_metric, has_the_unit_that_its_name_implies) {
  for (const auto& [key, unit] : {std::pair{"real_time", "ns"},
                                  {"cpu_time", "ns"},
                                  {"wait_ns", "ns"},
                                  {"gb_per_s", "GB/s"},
                                  {"h2d_gb_per_s", "GB/s"},
                                  {"bytes_per_second", "B/s"},
                                  {"items_per_second", "1/s"},
                                  {"errors_per_s", "1/s"},
                                  {"link_percent", "%"},
                                  {"cores", ""}})
    EXPECT_EQ(metric::named(key).unit(), unit) << key;
}

TEST(a_metric, is_as_the_file_declares_whatever_its_name) {
  const auto misnamed = declared("count_ns", "1", metric_kind::count);
  EXPECT_EQ(misnamed.unit(), "1");
  EXPECT_FALSE(misnamed.is_time());
  EXPECT_TRUE(declared("ns_per_access", "ns", metric_kind::duration).is_time());
  // CPU time for each GB is a duration, and no time that an operation takes.
  EXPECT_FALSE(declared("cpu_s_per_gb", "s/GB", metric_kind::duration).is_time());
  EXPECT_FALSE(declared("seconds", "s", metric_kind::count).is_time());
  // What every row has cannot be declared otherwise.
  const auto time = declared("real_time", "s", metric_kind::duration);
  EXPECT_EQ(time.unit(), "ns");
  EXPECT_EQ(time.nanoseconds(5), 5);
}

TEST(a_metric, of_time_is_bounded_whatever_its_unit) {
  const auto seconds = declared("wait", "s", metric_kind::duration);
  EXPECT_TRUE(seconds.can_be(5));
  EXPECT_FALSE(seconds.can_be(1e7));
  EXPECT_TRUE(declared("wait", "ns", metric_kind::duration).can_be(1e7));
  EXPECT_TRUE(declared("wait", "1", metric_kind::count).can_be(1e20));
}

TEST(a_metric, is_shown_in_its_unit) {
  EXPECT_EQ(value_text(1500, declared("wait", "us", metric_kind::duration)), "1.500 ms");
  EXPECT_EQ(value_text(55.5, declared("speed", "GB/s", metric_kind::rate)), "55.50 GB/s");
  EXPECT_EQ(value_text(12, declared("used", "%", metric_kind::share)), "12.00 %");
  EXPECT_EQ(value_text(12, declared("used", "1", metric_kind::count)), "12.00");
  // Tables have no room for any other.
  const auto cost = declared("cpu", "s/GB", metric_kind::duration);
  EXPECT_EQ(value_text(0.25, cost), "0.250");
  EXPECT_EQ(metric_text(cost), "cpu in s/GB (less is better)");
  EXPECT_EQ(metric_text(declared("used", "1", metric_kind::count)), "used (less is better)");
  EXPECT_EQ(metric_text(declared("wait", "us", metric_kind::duration)), "wait");
}

TEST(runs, agree_about_a_metric_or_are_refused) {
  std::vector<run> runs(4);
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].file = std::to_string(i) + ".json";
  EXPECT_EQ(declaration_in(runs, metric::named("x")), std::nullopt);
  const declaration rate{"GB/s", metric_kind::rate, true};
  runs[1].declared = runs[3].declared = rate;  // the others declare nothing
  EXPECT_EQ(declaration_in(runs, metric::named("x")), rate);
  for (const auto& different :
       {declaration{"MB/s", metric_kind::rate, true}, declaration{"GB/s", metric_kind::share, true},
        declaration{"GB/s", metric_kind::rate, std::nullopt}}) {
    runs[3].declared = different;
    EXPECT_THAT([&] { declaration_in(runs, metric::named("x")); },
                ThrowsMessage<bad_input>(AllOf(HasSubstr("'1.json' and '3.json' disagree about x"),
                                               HasSubstr("a rate in 'GB/s', more is better"))));
  }
}

}  // namespace
}  // namespace bench_transfers::gate::metric_test
