#include "bench/strategy/strategy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "bench/strategy/directions.hpp"

namespace bench_transfers::bench {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

TEST(registered_strategies, of_the_quick_profile_include_the_plain_transfers) {
  std::vector<std::string> names;
  for (const auto& one : registered_strategies())
    if (one.essential) names.push_back(one.name);
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
  EXPECT_FALSE(strategy{}.essential);
  for (const auto& one : registered_strategies())
    EXPECT_FALSE(one.essential && one.name.starts_with("cpu/")) << one.name;
}

TEST(registered_strategies, include_those_of_all_families) {
  std::set<std::string> families;
  for (const auto& one : registered_strategies())
    families.insert(one.name.substr(0, one.name.find('/')));
  EXPECT_THAT(families, IsSupersetOf({"allocate",
                                      "arguments",
                                      "copy",
                                      "copy_async",
                                      "cpu",
                                      "dtype",
                                      "duplex",
                                      "first_call",
                                      "free",
                                      "gpu_array",
                                      "launch",
                                      "message",
                                      "null",
                                      "overlap",
                                      "scatter",
                                      "strided",
                                      "thrust",
                                      "zero_copy",
                                      "zero_copy_access",
                                      "zero_copy_grid"}));
}

TEST(registered_strategies, are_sorted_by_name_and_can_be_listed) {
  const auto all = registered_strategies();
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &strategy::name));
  for (const auto& one : all) {
    EXPECT_THAT(one.summary, Not(IsEmpty())) << one.name;
    EXPECT_EQ(one.summary.find('\n'), std::string::npos) << one.name;
    EXPECT_THAT(one.variants, Not(testing::Contains(""))) << one.name;
    EXPECT_EQ(std::set(one.variants.begin(), one.variants.end()).size(), one.variants.size());
    EXPECT_TRUE(one.prepare) << one.name;
  }
}

TEST(registered_strategies, use_the_host_memory_that_their_names_name) {
  std::size_t named = 0;
  for (const auto& one : registered_strategies()) {
    if (!one.host) continue;  // memory of their own, if any
    EXPECT_TRUE(one.sized) << one.name;
    for (const auto kind : transfers::all_host_memory_kinds()) {
      if ((one.name + "/").find("/" + to_string(kind) + "/") == std::string::npos) continue;
      EXPECT_EQ(to_string(*one.host), to_string(kind)) << one.name;
      ++named;
    }
  }
  EXPECT_GT(named, 0U);
}

TEST(registered_strategies, are_the_same_when_asked_again) {
  EXPECT_EQ(registered_strategies().size(), registered_strategies().size());
}

TEST(direction_of, a_variant) {
  using transfers::direction;
  EXPECT_EQ(direction_of("h2d"), direction::h2d);
  EXPECT_EQ(direction_of("read"), direction::h2d);
  EXPECT_EQ(direction_of("d2h"), direction::d2h);
  EXPECT_EQ(direction_of("write"), direction::d2h);
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
  for (const auto& one : steps) one.run();
  EXPECT_EQ(to, from);
}

TEST(why_unsupported, asks_for_the_memory_first_and_then_the_strategy) {
  const auto device = transfers::open_host_device();
  strategy one{.name = "a", .host = transfers::pinned(transfers::pin_flags::write_combined)};
  EXPECT_THAT(why_unsupported(one, *device).value_or(""), HasSubstr("write-combined"));
  one.host = transfers::pageable;
  EXPECT_EQ(why_unsupported(one, *device), std::nullopt);
  one.why_unsupported = [](const auto&) { return std::optional<std::string>("no"); };
  EXPECT_EQ(why_unsupported(one, *device), "no");
}

TEST(host_payload, of_a_higher_index_lies_behind_the_others_and_their_guards) {
  const auto device = transfers::open_host_device();
  buffers memory(*device, 1);
  memory.reserve_host(transfers::pageable, 20'000);
  const auto stream = device->create_stream();
  const job wanted{*device, memory, *stream, "", 5000};
  const auto first = host_payload(wanted, transfers::pageable);
  const auto second = host_payload(wanted, transfers::pageable, 1);
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
  const job wanted{*device, memory, *stream, "", 5000};
  const auto second = device_payload(wanted, 1);
  EXPECT_EQ(device_payload(wanted).data, memory.on_device().data());
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
  const job wanted{*device, memory, *stream, "h2d", 60};

  const auto there = ends_of(wanted, transfers::pageable, transfers::direction::h2d);
  EXPECT_EQ(there.source.data, memory.host(transfers::pageable).data());
  EXPECT_EQ(there.source.host, &memory.host(transfers::pageable));
  EXPECT_FALSE(there.source.on_device);
  EXPECT_EQ(there.destination.data, memory.on_device().data());
  EXPECT_EQ(there.destination.host, nullptr);
  EXPECT_TRUE(there.destination.on_device);
  EXPECT_EQ(there.source.bytes, 60U);
  EXPECT_EQ(there.destination.bytes, 60U);

  const auto back = ends_of(wanted, transfers::pageable, transfers::direction::d2h);
  EXPECT_EQ(back.source.data, there.destination.data);
  EXPECT_TRUE(back.source.on_device);
  EXPECT_EQ(back.destination.data, there.source.data);
  EXPECT_FALSE(back.destination.on_device);
}

}  // namespace
}  // namespace bench_transfers::bench
