#include "bench/strategy/strategy.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/bench/test_strategy.hpp"

namespace bench_transfers::bench::strategy_test {
namespace {

TEST(registered_strategies, of_the_quick_profile_include_the_plain_transfers) {
  std::vector<std::string> names;
  for (const auto& strategy : registered_strategies())
    if (strategy.sampling.essential) names.push_back(strategy.name());
  EXPECT_THAT(
      names,
      IsSupersetOf({"copy/pageable", "copy/pageable_huge", "copy/pinned", "copy/pinned_mapped",
                    "copy/pinned_mapped_wc", "copy/pinned_portable", "copy/pinned_portable_mapped",
                    "copy/pinned_portable_mapped_wc", "copy/pinned_portable_wc", "copy/pinned_wc",
                    "copy/registered", "copy/registered_huge", "copy_async/pageable",
                    "copy_async/pinned", "null", "zero_copy/pinned_mapped",
                    "zero_copy/pinned_mapped_wc", "zero_copy/registered"}));
}

TEST(registered_strategies, are_of_the_quick_profile_only_where_they_say_so) {
  EXPECT_FALSE(strategy{}.sampling.essential);
  for (const auto& strategy : registered_strategies())
    EXPECT_FALSE(strategy.sampling.essential && strategy.family == "cpu") << strategy.name();
}

TEST(registered_strategies, have_the_variants_that_their_profiles_name) {
  for (const auto& strategy : registered_strategies())
    for (const auto& [profile, names] : strategy.sampling.profiles)
      for (const auto& name : names)
        EXPECT_NE(std::ranges::find(strategy.variants, name, &variant::name),
                  strategy.variants.end())
            << strategy.name() << ": " << profile << ": " << name;
}

TEST(registered_strategies, are_prepared_by_all_of_their_variants_or_by_themselves) {
  for (const auto& strategy : registered_strategies()) {
    EXPECT_TRUE(strategy.prepare) << strategy.name();
    const auto own = std::ranges::count_if(
        strategy.variants, [](const variant& each) { return each.prepare != nullptr; });
    EXPECT_TRUE(own == 0 || own == std::ssize(strategy.variants)) << strategy.name();
  }
}

TEST(registered_strategies, whose_variants_are_prepared_by_themselves_know_no_others) {
  const auto device = transfers::open_host_device();
  const auto stream = device->create_stream();
  buffers memory(*device, 5);
  const auto loaded = find_strategy("loaded/pinned");
  EXPECT_THROW(loaded.prepare({*device, memory, *stream, "h2d", 4096}), std::logic_error);
}

/// What advise compares with.
TEST(registered_strategies, have_one_plainest_copy_in_each_direction) {
  std::map<std::string, std::set<std::string>> plainest;
  for (const auto& strategy : registered_strategies())
    for (const auto& variant : strategy.variants) {
      const auto described = describe(strategy, &variant, 1, result_file::cache_state::warm);
      if (described.role == "copy" && described.plainness == 0)
        plainest[variant.name].insert(described.strategy);
    }
  EXPECT_THAT(plainest, UnorderedElementsAre(Pair("h2d", ElementsAre("copy/pageable")),
                                             Pair("d2h", ElementsAre("copy/pageable"))));
}

TEST(registered_strategies, tell_which_calls_hold_launches_of_other_threads) {
  const auto waits = [](const std::string& calls) {
    return calls.find("cudaMemcpy(") != std::string::npos;
  };
  for (const auto& strategy : registered_strategies()) {
    EXPECT_EQ(strategy.holds_launches, waits(strategy.calls)) << strategy.name();
    for (const auto& variant : strategy.variants)
      EXPECT_EQ(variant.holds_launches, variant.calls && waits(*variant.calls))
          << strategy.name() << "/" << variant.name;
  }
}

TEST(calls, have_the_ends_of_their_direction) {
  using result_file::direction;
  const std::string lines = "f($[device|host], $[host|device]); g(${a|b}); h(i[1], {}, {x | y});";
  const std::string rest = " h(i[1], {}, {x | y});";
  EXPECT_EQ(calls_in(direction::h2d, lines), "f(device, host); g(a);" + rest);
  EXPECT_EQ(calls_in(direction::d2h, lines), "f(host, device); g(a);" + rest);
  EXPECT_EQ(calls_in(direction::both, lines, direction::d2h), "f(device, host); g(b);" + rest);
}

TEST(calls, of_strategies_leave_no_choice_of_a_direction) {
  using result_file::direction;
  for (const auto& strategy : registered_strategies()) {
    std::vector<std::string> all{strategy.calls};
    for (const auto& variant : strategy.variants) all.push_back(variant.calls.value_or(""));
    for (const auto& lines : all)
      for (const auto way : {direction::h2d, direction::d2h})
        for (const auto beside : {direction::h2d, direction::d2h})
          EXPECT_THAT(calls_in(way, lines, beside), Not(HasSubstr("$"))) << strategy.name();
  }
}

TEST(calls, differ_by_direction_where_one_copy_has_both) {
  using result_file::direction;
  for (const auto& strategy : registered_strategies()) {
    if (strategy.role.name != "copy" || strategy.calls.empty()) continue;
    EXPECT_NE(calls_in(direction::h2d, strategy.calls), calls_in(direction::d2h, strategy.calls))
        << strategy.name();
  }
}

TEST(registered_strategies, are_sorted_by_name_and_can_be_listed) {
  const auto all = registered_strategies();
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &strategy::name));
  for (const auto& strategy : all) {
    EXPECT_THAT(strategy.summary, Not(IsEmpty())) << strategy.name();
    EXPECT_EQ(strategy.summary.find('\n'), std::string::npos) << strategy.name();
    const auto names = names_of(strategy.variants);
    EXPECT_THAT(names, Not(Contains(""))) << strategy.name();
    EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size()) << strategy.name();
  }
}

TEST(registered_strategies, use_the_host_memory_that_their_names_name) {
  std::size_t named = 0;
  for (const auto& strategy : registered_strategies()) {
    if (!strategy.needs.host) continue;  // memory of their own, if any
    EXPECT_TRUE(strategy.sampling.sized) << strategy.name();
    for (const auto kind : transfers::all_host_memory_kinds()) {
      if ((strategy.name() + "/").find("/" + to_string(kind) + "/") == std::string::npos) continue;
      EXPECT_EQ(to_string(*strategy.needs.host), to_string(kind)) << strategy.name();
      ++named;
    }
  }
  EXPECT_GT(named, 0U);
}

TEST(describe, tells_the_fields_of_strategy_and_variant) {
  using result_file::direction;
  strategy measured{.family = "scatter",
                    .parts = {method("loop"), setting("4KiB_blocks"), in_memory("pinned")},
                    .variants = both_accesses(),
                    .role = roles::scattered_copy,
                    .plainness = 3};
  const auto plain = describe(measured, &measured.variants[1], 4096, cache_state::cold);
  EXPECT_EQ(plain.name, "scatter/loop/4KiB_blocks/pinned/write/4KiB/cold");
  EXPECT_EQ(plain.strategy, "scatter/loop/4KiB_blocks/pinned");
  EXPECT_EQ(plain.family, "scatter");
  EXPECT_EQ(plain.method, "loop");
  EXPECT_EQ(plain.setting, "4KiB_blocks");
  EXPECT_EQ(plain.memory, "pinned");
  EXPECT_EQ(plain.variant, "write");
  EXPECT_EQ(plain.direction, direction::d2h);
  EXPECT_EQ(plain.size_bytes, 4096U);
  EXPECT_EQ(plain.role, "scattered_copy");
  EXPECT_EQ(plain.plainness, 3U);

  const variant overriding{.name = "all",
                           .direction = direction::both,
                           .role = result_file::role{"mine", "my own", result_file::table::times},
                           .method = "by_hand",
                           .setting = "fast",
                           .plainness = 0};
  const auto varied = describe(measured, &overriding, std::nullopt, cache_state::warm);
  EXPECT_EQ(varied.name, "scatter/loop/4KiB_blocks/pinned/all");
  EXPECT_EQ(varied.direction, direction::both);
  EXPECT_EQ(varied.role, "mine");
  EXPECT_EQ(varied.method, "by_hand");
  EXPECT_EQ(varied.setting, "fast");
  EXPECT_EQ(varied.plainness, 0U);
  EXPECT_EQ(varied.size_bytes, std::nullopt);
}

TEST(describe, takes_the_memory_from_the_name_the_strategy_or_its_buffer) {
  strategy measured{.family = "copy", .parts = {method("staged")}};
  const auto memory = [&] {
    return describe(measured, nullptr, std::nullopt, cache_state::warm).memory;
  };
  EXPECT_EQ(memory(), std::nullopt);
  measured.needs.host = transfers::pageable;
  EXPECT_EQ(memory(), "pageable");
  measured.parts.push_back(in_memory("emulated_wc"));
  EXPECT_EQ(memory(), "emulated_wc");
  measured.memory = "managed";
  EXPECT_EQ(memory(), "managed");
}

TEST(enqueue_and_wait, are_two_steps_of_which_the_second_waits) {
  const auto device = transfers::open_host_device();
  const auto stream = device->create_stream();
  std::vector<std::byte> from(std::size_t{64} << 20, std::byte{1});
  std::vector<std::byte> to(from.size());
  const auto steps = enqueue_and_wait(*stream, [&] {
    stream->copy(to.data(), from.data(), from.size(), transfers::direction::h2d);
  });
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].name, "enqueue");
  EXPECT_EQ(steps[1].name, "wait");
  for (const auto& step : steps) step.run();
  EXPECT_EQ(to, from);
}

TEST(why_unsupported, asks_for_the_memory_first_and_then_the_strategy) {
  const auto device = transfers::open_host_device();
  strategy strategy{.family = "a",
                    .needs = {.host = transfers::pinned(transfers::pin_flags::write_combined)}};
  EXPECT_THAT(why_unsupported(strategy, *device).value_or(""), HasSubstr("write-combined"));
  strategy.needs.host = transfers::pageable;
  EXPECT_EQ(why_unsupported(strategy, *device), std::nullopt);
  strategy.needs.why_unsupported = [](const auto&) { return std::optional<std::string>("no"); };
  EXPECT_EQ(why_unsupported(strategy, *device), "no");
}

TEST(host_payload, of_a_higher_index_lies_behind_the_others_and_their_guards) {
  const auto device = transfers::open_host_device();
  buffers memory(*device, 1);
  memory.reserve_host(transfers::pageable, 20'000);
  const auto stream = device->create_stream();
  const job task{*device, memory, *stream, "", 5000};
  const auto first = host_payload(task, transfers::pageable);
  const auto second = host_payload(task, transfers::pageable, 1);
  EXPECT_EQ(first.offset, 0U);
  EXPECT_EQ(second.data, first.data + second.offset);
  EXPECT_GE(second.offset, 5000 + buffers::guard);
  EXPECT_EQ(second.offset % 4096, 0U);
  EXPECT_EQ(second.bytes, 5000U);
}

TEST(device_payload, of_a_higher_index_lies_behind_the_others_and_their_guards) {
  const auto device = transfers::open_host_device();
  buffers memory(*device, 1);
  memory.reserve_device(20'000);
  const auto stream = device->create_stream();
  const job task{*device, memory, *stream, "", 5000};
  const auto second = device_payload(task, 1);
  EXPECT_EQ(device_payload(task).data, memory.on_device().data());
  EXPECT_EQ(second.data, memory.on_device().data() + buffers::distance(5000));
  EXPECT_EQ(second.offset, buffers::distance(5000));
  EXPECT_EQ(second.bytes, 5000U);
  EXPECT_TRUE(second.on_device);
}

TEST(ends_of, a_copy_are_swapped_with_its_direction) {
  const auto device = transfers::open_host_device();
  buffers memory(*device, 1);
  memory.reserve_host(transfers::pageable, 100);
  memory.reserve_device(100);
  const auto stream = device->create_stream();
  const job task{*device, memory, *stream, "h2d", 60};

  const auto upload = ends_of(task, transfers::pageable, transfers::direction::h2d);
  EXPECT_EQ(upload.source.data, memory.host(transfers::pageable).data());
  EXPECT_EQ(upload.source.host, &memory.host(transfers::pageable));
  EXPECT_FALSE(upload.source.on_device);
  EXPECT_EQ(upload.destination.data, memory.on_device().data());
  EXPECT_EQ(upload.destination.host, nullptr);
  EXPECT_TRUE(upload.destination.on_device);
  EXPECT_EQ(upload.source.bytes, 60U);
  EXPECT_EQ(upload.destination.bytes, 60U);

  const auto download = ends_of(task, transfers::pageable, transfers::direction::d2h);
  EXPECT_EQ(download.source.data, upload.destination.data);
  EXPECT_TRUE(download.source.on_device);
  EXPECT_EQ(download.destination.data, upload.source.data);
  EXPECT_FALSE(download.destination.on_device);
}

}  // namespace
}  // namespace bench_transfers::bench::strategy_test
