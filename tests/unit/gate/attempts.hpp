// Runs of the gate, each a text of a result file, and changes of new ones after a baseline.
#pragma once

#include <chrono>
#include <cmath>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "src/common/program.hpp"
#include "src/common/quantities.hpp"
#include "src/gate/io/read_baseline.hpp"
#include "src/gate/io/write_baseline.hpp"
#include "src/gate/judge/check.hpp"
#include "src/gate/model/pin.hpp"
#include "tests/basics.hpp"
#include "tests/unit/gate/made_up_result_files.hpp"

namespace bench_transfers::gate::attempts {

inline constexpr int repetitions = 9;
inline constexpr int benchmarks = 12;
inline constexpr std::chrono::sys_seconds first_day{
    std::chrono::sys_days{std::chrono::year{2026} / 11 / 21} + 12h};

inline std::string text_of(std::chrono::sys_seconds time) { return common::timestamp_text(time); }

/// Times of no two processes are the same.
inline json rows_of(int process) {
  json rows = json::array();
  for (int b = 0; b < benchmarks; ++b)
    for (int r = 0; r < repetitions; ++r) {
      const double noise = 0.0004 * std::sin(1.0 + 7.0 * process * process + 3.1 * b) +
                           0.0001 * std::sin(2.0 + process + 5.3 * b * b + r * r);
      auto row = gate::row("copy/pinned/h2d/" + std::to_string(b + 1) + "MiB", r,
                           1e6 * (b + 1) * (1 + noise));
      row["repetitions"] = repetitions;
      row["cpu_time"] = row["real_time"];
      rows.push_back(std::move(row));
    }
  return rows;
}

/// A run of 27 seconds.
inline json ours(int process, std::chrono::sys_seconds started) {
  auto facts = bench_transfers_facts();
  facts["run"]["started_utc"] = text_of(started);
  facts["run"]["finished_utc"] = text_of(started + 27s);
  facts["run"]["options"] = {"--profile=quick", "--cache=warm"};
  facts["device"]["pci_bus_id"] = "0000:18:00.0";
  facts["warnings"] = json::array();
  facts["benchmarks"] = json::object();
  for (int b = 0; b < benchmarks; ++b)
    facts["benchmarks"]["copy/pinned/h2d/" + std::to_string(b + 1) + "MiB"] = described_copy();
  auto file = bench_transfers_file(std::move(facts));
  file["benchmarks"] = rows_of(process);
  return file;
}

inline json of_another_program(int process, std::chrono::sys_seconds started) {
  json caches = json::array({{{"type", "Data"}, {"level", 1}, {"size", 49152}}});
  json file{{"context",
             {{"date", text_of(started)},
              {"host_name", "one"},
              {"executable", "./my_bench"},
              {"num_cpus", 16},
              {"mhz_per_cpu", 2100},
              {"cpu_scaling_enabled", false},
              {"caches", std::move(caches)},
              {"load_avg", {0.5, 0.4, 0.3}},
              {"library_build_type", "release"}}},
            {"benchmarks", rows_of(process)}};
  for (auto& row : file["benchmarks"]) {
    const double seconds = row["real_time"].get<double>() / 1e9;
    row["bytes_per_second"] = 1e6 / seconds;
    row["items_per_second"] = 64 / seconds;
    row["label"] = "batch 64";
  }
  return file;
}

using maker = json (*)(int, std::chrono::sys_seconds);
using files = std::vector<json>;

/// Runs of one session, a minute apart.
inline files session(maker make, int day, int count, int first) {
  files made;
  for (int i = 0; i < count; ++i)
    made.push_back(make(first + i, first_day + day * 24h + std::chrono::minutes(i)));
  return made;
}

inline files joined(files some, const files& others) {
  some.insert(some.end(), others.begin(), others.end());
  return some;
}

inline files two_sessions(maker make) {
  return joined(session(make, 0, 5, 0), session(make, 1, 5, 5));
}

inline files three_new(maker make) { return session(make, 9, 3, 20); }

inline std::vector<run> read_all(const files& all) {
  std::vector<run> runs;
  for (const auto& file : all)
    std::ranges::move(runs_in(file.dump(), "run-" + std::to_string(runs.size()) + ".json", {}),
                      std::back_inserter(runs));
  return runs;
}

inline baseline pinned(const files& all) {
  return baseline_in(to_text(pin(read_all(all), {}).baseline), "baseline.json");
}

inline report answer_to(const baseline& before, const files& after,
                        std::set<std::string> allowed = {}) {
  question asked;
  asked.allow_different = std::move(allowed);
  return check(before, read_all(after), asked);
}

/// A change of new runs, of which there are three.
struct attempt {
  std::string name;
  std::function<void(files&)> change;
  std::string expected = {};  ///< a key that differs, or a part of the complaint
};

inline void change_all(files& all, const char* pointer, const json& value) {
  for (auto& file : all) file[json::json_pointer(pointer)] = value;
}

inline attempt changing(const std::string& name, const char* pointer, const json& value,
                        const std::string& expected = "") {
  return {name, [=](files& all) { change_all(all, pointer, value); }, expected};
}

/// The same change of each file, or of each row.
template <class Change>
std::function<void(files&)> in_files(Change change) {
  return [=](files& all) {
    for (auto& file : all) change(file);
  };
}
template <class Change>
std::function<void(files&)> in_rows(Change change) {
  return in_files([=](json& file) {
    for (auto& row : file["benchmarks"]) change(row);
  });
}

inline json& run_of(json& file) { return file["context"]["transfers"]["run"]; }

inline void start(json& file, std::chrono::sys_seconds started) {
  run_of(file)["started_utc"] = text_of(started);
  run_of(file)["finished_utc"] = text_of(started + 27s);
}

inline void start_all(files& all, std::chrono::sys_seconds started) {
  for (auto& file : all) start(file, started += 1min);
}

inline void expect_pass(const baseline& before, maker make, std::span<const attempt> attempts) {
  for (const auto& [name, change, expected] : attempts) {
    auto after = three_new(make);
    change(after);
    const auto answer = answer_to(before, after);
    EXPECT_EQ(answer.code, exit_code::pass) << name;
    EXPECT_EQ(answer.differences(), 0U) << name;
  }
}

/// The fact is named, nothing passes, and --allow-different permits it.
inline void expect_difference(const baseline& before, maker make,
                              std::span<const attempt> attempts) {
  for (const auto& [name, change, expected] : attempts) {
    auto after = three_new(make);
    change(after);
    const auto answer = answer_to(before, after);
    EXPECT_EQ(answer.code, exit_code::inconclusive) << name;
    std::set<std::string> keys;
    for (const auto& [fact, allowed] : answer.changed) keys.insert(fact.key);
    EXPECT_TRUE(keys.contains(expected)) << name;
    EXPECT_EQ(answer_to(before, after, keys).code, exit_code::pass) << name;
  }
}

inline void expect_refusal(const baseline& before, maker make, std::span<const attempt> attempts) {
  for (const auto& [name, change, expected] : attempts) {
    auto after = three_new(make);
    change(after);
    EXPECT_THAT([&] { answer_to(before, after); }, ThrowsMessage<bad_input>(HasSubstr(expected)))
        << name;
  }
}

inline constexpr const char* options = "/context/transfers/run/options";
inline constexpr const char* uuid = "/context/transfers/device/uuid";
inline constexpr const char* slot = "/context/transfers/device/pci_bus_id";

}  // namespace bench_transfers::gate::attempts
