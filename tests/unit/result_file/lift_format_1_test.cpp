#include "src/result_file/lift_format_1.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "src/result_file/reader.hpp"

namespace bench_transfers::result_file::lift_format_1_test {
namespace {

using json = nlohmann::ordered_json;
using testing::Contains;
using testing::Key;

constexpr std::size_t kib = 1024, mib = 1024 * kib;

benchmark described(const std::string& name, const json& facts = json::object()) {
  return format_1_lift(facts).described(name);
}

/// With what a test does not say left as it is by default.
json fields(const json& different) {
  json all = to_json(benchmark{});
  all.update(different);
  return all;
}

struct lifted_name {
  std::string name;
  json fields;
};

const std::vector<lifted_name>& known_names() {
  static const std::vector<lifted_name> names{
      {"copy/pageable/h2d/4KiB",
       {{"family", "copy"},
        {"strategy", "copy/pageable"},
        {"memory", "pageable"},
        {"variant", "h2d"},
        {"direction", "h2d"},
        {"size_bytes", 4 * kib},
        {"role", "copy"}}},
      {"copy/pinned_portable_wc/d2h/1MiB/cold",
       {{"family", "copy"},
        {"strategy", "copy/pinned_portable_wc"},
        {"memory", "pinned_portable_wc"},
        {"variant", "d2h"},
        {"direction", "d2h"},
        {"size_bytes", mib},
        {"cache", "cold"},
        {"role", "copy"},
        {"plainness", 3}}},
      {"zero_copy/registered/read/4B",
       {{"family", "zero_copy"},
        {"strategy", "zero_copy/registered"},
        {"memory", "registered"},
        {"variant", "read"},
        {"direction", "h2d"},
        {"size_bytes", 4},
        {"role", "copy"},
        {"plainness", 2},
        {"in_place", true}}},
      {"gpu_array/to_gpu/pinned/pooled/float32/1MiB",
       {{"family", "gpu_array"},
        {"strategy", "gpu_array/to_gpu/pinned/pooled"},
        {"method", "to_gpu"},
        {"setting", "pooled"},
        {"memory", "pinned"},
        {"variant", "float32"},
        {"direction", "h2d"},
        {"size_bytes", mib},
        {"role", "array"},
        {"plainness", 1}}},
      {"cpu/pinned/read_memcpy_all_cores/64KiB",
       {{"family", "cpu"},
        {"strategy", "cpu/pinned"},
        {"method", "memcpy"},
        {"setting", "all_cores"},
        {"memory", "pinned"},
        {"variant", "read_memcpy_all_cores"},
        {"size_bytes", 64 * kib},
        {"role", "cpu_read"},
        {"plainness", 2}}},
      {"cpu/emulated_wc/write_fill/4KiB",
       {{"family", "cpu"},
        {"strategy", "cpu/emulated_wc"},
        {"method", "fill"},
        {"memory", "emulated_wc"},
        {"variant", "write_fill"},
        {"size_bytes", 4 * kib},
        {"role", "cpu_write"},
        {"plainness", 1},
        {"emulation", true}}},
      {"overlap/pinned/pieces_32_streams_2/1MiB",
       {{"family", "overlap"},
        {"strategy", "overlap/pinned"},
        {"memory", "pinned"},
        {"variant", "pieces_32_streams_2"},
        {"direction", "both"},
        {"size_bytes", mib},
        {"role", "overlap"},
        {"plainness", 2}}},
      {"launch/prepared/4_arguments",
       {{"family", "launch"},
        {"strategy", "launch/prepared"},
        {"method", "prepared"},
        {"variant", "4_arguments"},
        {"role", "launch"},
        {"plainness", 1}}},
      {"free/pinned/1GiB",
       {{"family", "free"},
        {"strategy", "free/pinned"},
        {"memory", "pinned"},
        {"size_bytes", 1024 * mib},
        {"role", "deallocation"},
        {"plainness", 1}}},
      {"null/batched",
       {{"family", "null"}, {"strategy", "null"}, {"variant", "batched"}, {"role", "floor"}}}};
  return names;
}

TEST(lifting, takes_known_names_apart) {
  for (const auto& [name, different] : known_names()) {
    EXPECT_EQ(to_json(described(name)), fields(different)) << name;
    EXPECT_EQ(described(name).name, name);
  }
}

TEST(lifting, describes_other_people_s_names_by_their_ends) {
  EXPECT_EQ(to_json(described("mine/by_hand_twice/h2d/4KiB")),
            fields({{"family", "mine"},
                    {"strategy", "mine/by_hand_twice"},
                    {"method", "by_hand_twice"},
                    {"variant", "h2d"},
                    {"direction", "h2d"},
                    {"size_bytes", 4 * kib},
                    {"role", "copy"},
                    {"plainness", 3}}));
  EXPECT_EQ(described("mine/write/4KiB/cold").direction, direction::d2h);
  EXPECT_EQ(to_json(described("mine/sideways")), fields({{"family", "mine"},
                                                         {"strategy", "mine/sideways"},
                                                         {"method", "sideways"},
                                                         {"role", "other"},
                                                         {"plainness", 1}}));
}

TEST(lifting, does_not_take_for_a_strategy_what_only_begins_like_one) {
  EXPECT_EQ(described("copy/pinned_by_me/h2d/4KiB").strategy, "copy/pinned_by_me");
  EXPECT_EQ(described("copy/pinned_by_me/h2d/4KiB").memory, std::nullopt);
  EXPECT_EQ(described("copy/pinned/sideways/4KiB").direction, direction::none);
}

TEST(lifting, takes_no_size_for_one_that_cannot_be) {
  for (const auto* const end : {"0B", "00KiB", "4", "KiB", "4TiB", "4kib", "-4B", "4 KiB",
                                "9999999999999B", "99999999999999999999999GiB", "1e3B"})
    EXPECT_EQ(described(std::string("copy/pinned/h2d/") + end).size_bytes, std::nullopt) << end;
  EXPECT_EQ(described("4KiB").size_bytes, std::nullopt);  // a family
  EXPECT_EQ(described("cold").cache, cache_state::warm);  // likewise
  for (const auto* const name : {"", "/", "//", "/cold", "copy", "copy/", "a//4KiB"})
    EXPECT_NO_THROW(static_cast<void>(described(name))) << name;
}

TEST(lifting, asks_the_file_for_the_memory_of_other_people_s_strategies) {
  const json facts{{"strategies",
                    {{{"name", "mine/quick"}, {"memory", "pinned"}},
                     {{"name", "copy/pinned"}, {"memory", "other"}},
                     {{"name", "mine/slow"}, {"memory", nullptr}}}}};
  EXPECT_EQ(described("mine/quick/h2d/4B", facts).memory, "pinned");
  EXPECT_EQ(described("mine/slow/h2d/4B", facts).memory, std::nullopt);
  EXPECT_EQ(described("copy/pinned/h2d/4B", facts).memory, "pinned");
}

TEST(lifting, takes_write_combined_memory_from_the_names_of_buffers) {
  const json buffers{{{"memory", "pinned"}}, {{"memory", "pinned_wc"}}, "no object"};
  const auto lifted = format_1_lift({{"format", 1}, {"buffers", buffers}}).facts().at("buffers");
  EXPECT_EQ(lifted[0]["write_combined"], false);
  EXPECT_EQ(lifted[1]["write_combined"], true);
  EXPECT_EQ(lifted[2], "no object");
}

TEST(lifting, makes_messages_of_texts) {
  const json device{{"kind", "host"},
                    {"why_not_gpu", "No GPU: there is no driver. Everything below is a copy."}};
  const json facts{{"format", 1},
                   {"device", device},
                   {"link", {{"width", 16}}},
                   {"clocks", {{"gpu", {{"sm_max_mhz", 1980}}}, {"cpu", nullptr}}},
                   {"warnings", {"virtual machine (KVM): it decides", "something new"}},
                   {"skipped",
                    {{{"name", "a"}, {"reason", "not enough host memory: 3 GiB"}},
                     {{"name", "b"}, {"reason", "kernels cannot do it"}}}}};
  const auto lifted = format_1_lift(facts).facts();
  EXPECT_EQ(lifted["format"], 2);
  EXPECT_EQ(lifted["warnings"][0]["code"], "virtual_machine");
  EXPECT_EQ(lifted["warnings"][0]["text"], "virtual machine (KVM): it decides");
  EXPECT_EQ(lifted["warnings"][1]["code"], "other");
  EXPECT_EQ(lifted["skipped"][0]["reason"]["code"], "not_enough_host_memory");
  EXPECT_EQ(lifted["skipped"][1]["reason"]["code"], "unsupported");
  EXPECT_EQ(lifted["device"]["why_not_gpu"]["code"], "no_gpu");
  EXPECT_EQ(lifted["device"]["why_not_gpu"]["data"]["reason"], "there is no driver");
  EXPECT_EQ(lifted["device"]["why_not_gpu"]["text"], device["why_not_gpu"]);
  EXPECT_EQ(lifted["devices"].size(), 1U);
  EXPECT_EQ(lifted["devices"][0]["link"]["width"], 16);
  EXPECT_EQ(lifted["devices"][0]["clocks"]["sm_max_mhz"], 1980);
}

// --- Recorded runs ------------------------------------------------------------------------------

std::vector<std::filesystem::path> recorded_runs() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(PROJECT_DIR "/results"))
    if (entry.path().string().ends_with(".json.gz")) files.push_back(entry.path());
  return files;
}

/// What the file says itself of the strategy.
const json& strategy_in(const contents& read, const std::string& name) {
  for (const auto& strategy : member(read.facts, {"strategies"}))
    if (strategy.at("name") == name) return strategy;
  return member(read.facts, {"no such thing"});
}

void check_recorded(const contents& read, const benchmark& lifted) {
  auto name = benchmark_name(lifted.strategy, lifted.variant, lifted.size_bytes, lifted.cache);
  if (member(read.facts, {"devices"}).size() > 1 && lifted.flows.empty())
    name += "@" + id_of_device(read, lifted.devices.front());
  EXPECT_EQ(name, lifted.name);
  EXPECT_TRUE(lifted.name.starts_with(lifted.family));
  EXPECT_NE(lifted.role, "other") << lifted.name;
  const bool is_directed = read.role_of(lifted).shown_in == table::directions;
  if (is_directed) {
    EXPECT_TRUE(lifted.direction == direction::h2d || lifted.direction == direction::d2h)
        << lifted.name;
  }
  const auto& strategy = strategy_in(read, lifted.strategy);
  ASSERT_TRUE(strategy.is_object()) << lifted.name;
  if (lifted.variant) {
    EXPECT_THAT(strategy.at("variants"), Contains(*lifted.variant)) << lifted.name;
  }
  const auto memory = text_at(strategy, {"memory"});
  // Of interference/<bulk>/prompt, the strategy's memory is that of the bulk copy, and the
  // benchmark's that of the small copies, which are timed.
  const bool is_prompt = lifted.role == "interference" && lifted.strategy.ends_with("/prompt");
  if (!memory.empty() && !lifted.emulation) {
    EXPECT_EQ(lifted.memory, is_prompt ? "pageable" : memory) << lifted.name;
  }
}

TEST(lifting, describes_all_recorded_benchmarks) {
  const auto files = recorded_runs();
  EXPECT_GE(files.size(), 5U);
  for (const auto& file : files) {
    SCOPED_TRACE(file);
    const auto read = result_file::read(file);
    EXPECT_FALSE(read.rows.empty());
    for (const auto& [name, lifted] : read.benchmarks) check_recorded(read, lifted);
    std::set<std::string> values;
    for (const auto& row : read.rows)
      if (row.kind == row_kind::repetition)
        for (const auto& value : row.values) values.insert(*value.name);
    for (const auto* const key : {"real_time", "cpu_time", "iterations", "repetitions", "threads"})
      values.erase(key);
    for (const auto& counter : values) EXPECT_THAT(read.metrics, Contains(Key(counter)));
    for (const auto& [name, reason] : read.skipped) EXPECT_FALSE(reason.code.empty());
  }
}

}  // namespace
}  // namespace bench_transfers::result_file::lift_format_1_test
