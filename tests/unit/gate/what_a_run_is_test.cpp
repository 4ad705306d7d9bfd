// Ways to give gate_transfers runs that are not what they seem, each alone: runs that are older, of
// another GPU, machine or setting, one process several times, and rows that are not there. All go
// through the text of result files and of the baseline.

#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "src/common/program.hpp"
#include "src/common/quantities.hpp"
#include "src/gate/io/read_baseline.hpp"
#include "src/gate/io/write_baseline.hpp"
#include "src/gate/judge/check.hpp"
#include "src/gate/judge/history.hpp"
#include "src/gate/model/pin.hpp"
#include "src/gate/report/show.hpp"
#include "tests/unit/gate/made_up_result_files.hpp"

namespace bench_transfers::gate::what_a_run_is_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

constexpr int repetitions = 9;
constexpr int benchmarks = 12;
constexpr std::chrono::sys_seconds first_day{
    std::chrono::sys_days{std::chrono::year{2026} / 11 / 21} + 12h};

std::string text_of(std::chrono::sys_seconds time) { return common::timestamp_text(time); }

/// Times of no two processes are the same.
json rows_of(int process) {
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
json ours(int process, std::chrono::sys_seconds started) {
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

json of_another_program(int process, std::chrono::sys_seconds started) {
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
files session(maker make, int day, int count, int first) {
  files made;
  for (int i = 0; i < count; ++i)
    made.push_back(make(first + i, first_day + day * 24h + std::chrono::minutes(i)));
  return made;
}

files two_sessions(maker make) {
  auto made = session(make, 0, 5, 0);
  const auto second = session(make, 1, 5, 5);
  made.insert(made.end(), second.begin(), second.end());
  return made;
}

files three_new(maker make) { return session(make, 9, 3, 20); }

std::vector<run> read_all(const files& all) {
  std::vector<run> runs;
  for (const auto& file : all)
    std::ranges::move(
        runs_in(file.dump(), "run-" + std::to_string(runs.size()) + ".json", {}),
        std::back_inserter(runs));
  return runs;
}

baseline pinned(const files& all) {
  return baseline_in(to_text(pin(read_all(all), {}).baseline), "baseline.json");
}

report answer_to(const baseline& before, const files& after, std::set<std::string> allowed = {}) {
  question asked;
  asked.allow_different = std::move(allowed);
  return check(before, read_all(after), asked);
}

/// A change of new runs, of which there are three.
struct attempt {
  std::string name;
  std::function<void(files&)> change;
  std::string expected;  ///< a key that differs, or a part of the complaint
};

void change_all(files& all, const char* pointer, const json& value) {
  for (auto& file : all) file[json::json_pointer(pointer)] = value;
}

attempt changing(const std::string& name, const char* pointer, const json& value,
                 const std::string& expected = "") {
  return {name, [=](files& all) { change_all(all, pointer, value); }, expected};
}

json& run_of(json& file) { return file["context"]["transfers"]["run"]; }

void start(json& file, std::chrono::sys_seconds started) {
  run_of(file)["started_utc"] = text_of(started);
  run_of(file)["finished_utc"] = text_of(started + 27s);
}

void start_all(files& all, std::chrono::sys_seconds started) {
  for (auto& file : all) start(file, started += 1min);
}

void expect_pass(const baseline& before, maker make, std::span<const attempt> attempts) {
  for (const auto& [name, change, expected] : attempts) {
    auto after = three_new(make);
    change(after);
    const auto answer = answer_to(before, after);
    EXPECT_EQ(answer.code, exit_code::pass) << name;
    EXPECT_EQ(answer.differences(), 0U) << name;
  }
}

/// The fact is named, nothing passes, and --allow-different permits it.
void expect_difference(const baseline& before, maker make, std::span<const attempt> attempts) {
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

void expect_refusal(const baseline& before, maker make, std::span<const attempt> attempts) {
  for (const auto& [name, change, expected] : attempts) {
    auto after = three_new(make);
    change(after);
    EXPECT_THAT([&] { answer_to(before, after); }, ThrowsMessage<bad_input>(HasSubstr(expected)))
        << name;
  }
}

constexpr const char* options = "/context/transfers/run/options";
constexpr const char* uuid = "/context/transfers/device/uuid";
constexpr const char* slot = "/context/transfers/device/pci_bus_id";

TEST(what_a_run_is, is_said_by_its_time_its_gpu_and_its_options) {
  std::vector<attempt> attempts{
      {"a month older", [](files& all) { start_all(all, first_day - 720h); }, "run.started_utc"},
      {"older than the newest session", [](files& all) { start_all(all, first_day + 12h); },
       "run.started_utc"},
      {"ten minutes older", [](files& all) { start_all(all, first_day + 24h - 10min); },
       "run.started_utc"},
      {"one of three is older", [](files& all) { start(all[1], first_day - 1h); },
       "run.started_utc"},
      changing("another GPU", uuid, "GPU-another", "device.uuid"),
      changing("a GPU that is not told", uuid, nullptr, "device.uuid"),
      changing("another slot", slot, "0000:3a:00.0", "device.pci_bus_id"),
      changing("fewer options", options, {"--profile=quick"}, "settings.options"),
      changing("no options", options, json::array(), "settings.options"),
      {"one of three is of another GPU",
       [](files& all) { all[2][json::json_pointer(uuid)] = "GPU-another"; }, "device.uuid"},
  };
  for (const auto option : common::measuring_options)
    if (option != "--device")
      attempts.push_back(changing(std::string(option), options,
                                  {"--profile=quick", "--cache=warm", std::string(option) + "=1"},
                                  "settings.options"));
  expect_difference(pinned(two_sessions(ours)), ours, attempts);
}

TEST(what_a_run_is, is_not_said_by_what_may_differ) {
  const std::vector<attempt> attempts{
      {"nothing", [](files&) {}, ""},
      changing("the order of options", options, {"--cache=warm", "--profile=quick"}),
      changing("the GPU by another name", options,
               {"--profile=quick", "--cache=warm", "--device=cuda:0"}),
      changing("files of releases that do not tell options", "/context/transfers/run",
               {{"min_time_ms", 6.0}, {"rounds", 2}, {"random_order", true}}),
      {"in turn with the baseline", [](files& all) { start_all(all, first_day + 24h + 30s); }, ""},
      {"after a restart",
       [](files& all) { change_all(all, "/context/transfers/machine/kernel/boot_id", "another"); },
       ""},
  };
  expect_pass(pinned(two_sessions(ours)), ours, attempts);
}

TEST(what_a_run_is, is_one_process) {
  const auto part_of = [](json& file, std::chrono::sys_seconds started, int number) {
    return json{{"number", number},
                {"complete", true},
                {"started_utc", text_of(started)},
                {"finished_utc", text_of(started + 27s)},
                {"boot_id", file["context"]["transfers"]["machine"]["kernel"]["boot_id"]}};
  };
  const std::string one_process = "they are one process", copied = "the same measurements";
  const auto at = first_day + 9 * 24h;
  const std::vector<attempt> attempts{
      {"a copy", [](files& all) { all[1] = all[0]; }, copied},
      {"a copy with another start",
       [=](files& all) {
         all[1] = all[0];
         start(all[1], at + 5min);
       },
       copied},
      {"three copies with other starts and last digits",
       [=](files& all) {
         for (std::size_t i = 1; i < all.size(); ++i) {
           all[i] = all[0];
           start(all[i], at + 5min * i);
           for (auto& row : all[i]["benchmarks"])
             row["real_time"] = row["real_time"].get<double>() * (1 + 1e-9 * double(i));
         }
       },
       copied},
      {"a run of the baseline with another start", [=](files& all) { all[1] = ours(3, at + 5min); },
       copied},
      {"a run of the baseline's newest session, other times",
       [=](files& all) { start(all[1], first_day + 24h + 4min); }, one_process},
      {"within a run of the baseline",
       [=](files& all) { start(all[1], first_day + 24h + 4min + 10s); }, one_process},
      {"the same second", [=](files& all) { start(all[1], at); }, one_process},
      {"ten seconds later", [=](files& all) { start(all[1], at + 10s); }, one_process},
      {"one within the other",
       [=](files& all) { run_of(all[0])["finished_utc"] = text_of(at + 90s); }, one_process},
      {"a second each",
       [=](files& all) {
         for (std::size_t i = 0; i < all.size(); ++i) start(all[i], at + 1s * i);
       },
       one_process},
      {"killed, in the same second",
       [=](files& all) {
         start(all[1], at);
         for (auto& file : all) run_of(file)["finished_utc"] = nullptr;
       },
       one_process},
      {"repetitions as runs",
       [=](files& all) {
         for (std::size_t i = 0; i < all.size(); ++i) {
           start(all[i], at);
           json kept = json::array();
           for (auto& row : all[i]["benchmarks"])
             if (row["repetition_index"].get<std::size_t>() % 3 == i) kept.push_back(row);
           all[i]["benchmarks"] = kept;
         }
       },
       one_process},
      {"split by sizes",
       [=](files& all) {
         all[1] = all[0];
         json small = json::array(), large = json::array();
         for (auto& row : all[0]["benchmarks"])
           (row["real_time"].get<double>() < 6e6 ? small : large).push_back(row);
         all[0]["benchmarks"] = small;
         all[1]["benchmarks"] = large;
       },
       one_process},
      {"a resumed run beside its first part",
       [=](files& all) {
         all[1]["context"]["transfers"]["parts"] = {part_of(all[1], at, 1),
                                                    part_of(all[1], at + 2h, 2)};
       },
       one_process},
      {"a resumed run beside its second part",
       [=](files& all) {
         all[1]["context"]["transfers"]["parts"] = {part_of(all[1], at - 2h, 1),
                                                    part_of(all[1], at, 2)};
       },
       one_process},
  };
  expect_refusal(pinned(two_sessions(ours)), ours, attempts);
}

TEST(what_a_run_is, may_be_at_the_time_of_another) {
  const auto at = first_day + 9 * 24h;
  const std::vector<attempt> attempts{
      {"one after the other", [=](files& all) { start(all[1], at + 27s); }, ""},
      {"after another start of the machine",
       [=](files& all) {
         start(all[1], at);
         all[1]["context"]["transfers"]["machine"]["kernel"]["boot_id"] = "another";
       },
       ""},
      {"two of less than a second",
       [=](files& all) {
         for (auto& file : all) {
           start(file, at);
           run_of(file)["finished_utc"] = text_of(at);
         }
       },
       ""},
  };
  expect_pass(pinned(two_sessions(ours)), ours, attempts);
}

TEST(what_a_run_is, may_begin_in_the_second_of_a_short_run_of_the_baseline) {
  auto all = two_sessions(ours);
  const auto at = first_day + 24h + 4min;
  run_of(all.back())["finished_utc"] = text_of(at);
  auto after = three_new(ours);
  start(after[1], at);
  EXPECT_NO_THROW(answer_to(pinned(all), after));
}

TEST(what_a_run_is, may_be_any_of_a_baseline_of_several) {
  const auto before = [](const char* pointer, const char* one, const char* other) {
    auto all = two_sessions(ours);
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i][json::json_pointer(pointer)] = i < 5 ? one : other;
    return all;
  };
  // Several machines of a kind: another card in the same slot.
  const std::vector<attempt> any_gpu{changing("a GPU of the baseline", uuid, "GPU-a"),
                                     changing("the other", uuid, "GPU-b"),
                                     changing("a GPU of a further machine", uuid, "GPU-c")};
  expect_pass(pinned(before(uuid, "GPU-a", "GPU-b")), ours, any_gpu);
  // Two GPUs of one node.
  auto node = before(uuid, "GPU-a", "GPU-b");
  for (std::size_t i = 0; i < node.size(); ++i)
    node[i][json::json_pointer(slot)] = i < 5 ? "0000:18:00.0" : "0000:3a:00.0";
  const auto at_slot = [](const char* gpu, const char* address, const char* expected) {
    return attempt{std::string(gpu) + " at " + address,
                   [=](files& all) {
                     change_all(all, uuid, gpu);
                     change_all(all, slot, address);
                   },
                   expected};
  };
  const std::vector<attempt> known{at_slot("GPU-a", "0000:18:00.0", ""),
                                   at_slot("GPU-b", "0000:3a:00.0", "")};
  expect_pass(pinned(node), ours, known);
  const std::vector<attempt> others{at_slot("GPU-c", "0000:5d:00.0", "device.uuid"),
                                    at_slot("GPU-c", "0000:5d:00.0", "device.pci_bus_id"),
                                    at_slot("GPU-c", "0000:18:00.0", "device.uuid")};
  expect_difference(pinned(node), ours, others);
  // Both at the same time.
  auto together = session(ours, 9, 2, 30);
  start(together[1], first_day + 9 * 24h);
  together[0][json::json_pointer(uuid)] = "GPU-a";
  together[1][json::json_pointer(uuid)] = "GPU-b";
  together[1][json::json_pointer(slot)] = "0000:3a:00.0";
  EXPECT_NO_THROW(answer_to(pinned(node), together));
}

TEST(what_a_run_is, is_not_compared_with_a_baseline_that_does_not_tell) {
  auto before = pinned(two_sessions(ours));
  before.options.reset();
  for (auto& process : before.processes) {
    process.card.clear();
    process.slot.clear();
    process.measurements.reset();
  }
  const std::vector<attempt> attempts{changing("another GPU", uuid, "GPU-another"),
                                      changing("another slot", slot, "0000:3a:00.0"),
                                      changing("other options", options, json::array())};
  expect_pass(before, ours, attempts);
}

// What is not told.

template <class Note>
std::optional<Note> note_in(const report& answer) {
  for (const auto& note : answer.notes)
    if (const auto* const found = std::get_if<Note>(&note)) return *found;
  return std::nullopt;
}

/// Of new runs and of those of the baseline.
TEST(what_a_run_is, may_be_of_an_age_that_nobody_can_tell) {
  const auto date_of = [](maker make) {
    return make == ours ? "/context/transfers/run/started_utc" : "/context/date";
  };
  for (const maker make : {ours, of_another_program})
    for (const bool is_null : {true, false}) {
      const auto undate = [&](json& file) {
        const json::json_pointer date(date_of(make));
        if (is_null)
          file[date] = nullptr;
        else
          file[date.parent_pointer()].erase(date.back());
      };
      const auto undated = [&](std::size_t before, std::size_t after) {
        auto old = two_sessions(make), recent = three_new(make);
        for (std::size_t i = 0; i < before; ++i) undate(old[i]);
        for (std::size_t i = 0; i < after; ++i) undate(recent[i]);
        const auto answer = answer_to(pinned(old), recent);
        EXPECT_EQ(answer.differences(), 0U);
        const auto note = note_in<notes::age_unknown>(answer);
        EXPECT_EQ(note ? note->runs : 3, 3U);
        return note ? note->undated : 0;
      };
      EXPECT_EQ(undated(0, 0), 0U);
      EXPECT_EQ(undated(0, 1), 1U);
      EXPECT_EQ(undated(0, 3), 3U);
      EXPECT_EQ(undated(9, 0), 0U);
      EXPECT_EQ(undated(10, 0), 3U);
    }
}

/// Operations of which some take much longer: the mean shows it, not the median.
void add_means(json& file, double factor) {
  for (auto& row : file["benchmarks"]) row["mean_ns"] = factor * row["real_time"].get<double>();
}

/// Which rows of the baseline and of the new runs lack it.
TEST(means, are_compared_where_all_runs_have_them) {
  using change = std::function<void(files&)>;
  const auto nothing = [](files&) {};
  const auto for_rows = [](std::size_t runs, std::size_t rows, auto alter) {
    return [=](files& all) {
      for (std::size_t i = 0; i < std::min(runs, all.size()); ++i)
        for (std::size_t r = 0; r < std::min(rows, all[i]["benchmarks"].size()); ++r)
          alter(all[i]["benchmarks"][r]);
    };
  };
  const auto lose = [](json& row) { row.erase("mean_ns"); };
  const auto empty = [](json& row) { row["mean_ns"] = nullptr; };
  struct situation {
    std::string name;
    change before, after;
    std::size_t compared;
  };
  constexpr std::size_t all = 1000;
  const std::vector<situation> situations{
      {"all have them", nothing, nothing, benchmarks},
      {"none has", for_rows(all, all, lose), for_rows(all, all, lose), 0},
      {"new runs do not", nothing, for_rows(all, all, lose), 0},
      {"new runs have null", nothing, for_rows(all, all, empty), 0},
      {"one new run does not", nothing, for_rows(1, all, lose), 0},
      {"one repetition does not", nothing, for_rows(1, 1, lose), benchmarks - 1},
      {"the baseline does not", for_rows(all, all, lose), nothing, 0},
      {"the baseline has null", for_rows(all, all, empty), nothing, 0},
      {"one run of the baseline does not", for_rows(1, all, lose), nothing, 0},
      {"one benchmark of the baseline does not", for_rows(all, repetitions, lose), nothing,
       benchmarks - 1}};
  for (const auto& [name, before, after, compared] : situations)
    for (const double factor : {1.0, 1.1}) {
      auto old = two_sessions(ours), recent = three_new(ours);
      for (auto& file : old) add_means(file, 1.1);
      for (auto& file : recent) add_means(file, 1.1 * factor);
      before(old);
      after(recent);
      const auto answer = answer_to(pinned(old), recent);
      const auto& part = answer.classes.front();
      EXPECT_EQ(part.compared_by_mean, compared) << name;
      EXPECT_EQ(part.tested, factor > 1 && compared > 0 ? part.tested : benchmarks) << name;
      EXPECT_EQ(part.tested_by_mean, factor > 1 ? 0 : compared) << name;
      EXPECT_EQ(answer.code == exit_code::pass, factor == 1 || compared == 0) << name << factor;
    }
}

// The three commands that take runs.

/// What is given beside good runs, and what each command makes of it: a part of its complaint, the
/// verdict, or why a history leaves runs out.
struct kind_of_run {
  std::string name;
  std::function<void(files&)> change;  ///< of three new runs
  std::string pin, check, history;
};

template <class Command>
std::string answer_or_complaint(Command command) {
  try {
    return command();
  } catch (const bad_input& complaint) {
    return complaint.what();
  }
}

files joined(files some, const files& others) {
  some.insert(some.end(), others.begin(), others.end());
  return some;
}

std::string left_out_of(const history_answer& answer) {
  const auto& newest = answer.sessions.back();
  if (newest.differing > 0) return "differs";
  return newest.doubted.empty() ? to_string(answer.code())
                                : to_string(newest.doubted.begin()->first);
}

TEST(what_a_run_is, is_asked_by_all_commands_that_take_runs) {
  const auto at = first_day + 9 * 24h;
  const auto warning = [](const char* code) {
    return json::array({{{"code", code}, {"data", json::object()}, {"text", "it was"}}});
  };
  const auto slower = [](files& all) {
    for (auto& file : all)
      for (auto& row : file["benchmarks"]) row["real_time"] = 1.1 * row["real_time"].get<double>();
  };
  const std::string copied = "the same measurements", together = "at the same time";
  const std::vector<kind_of_run> kinds{
      {"nothing", [](files&) {}, "PASS", "PASS", "PASS"},
      {"a copy with another start",
       [=](files& all) {
         all[1] = all[0];
         start(all[1], at + 5min);
       },
       copied, copied, copied},
      {"a run of the baseline", [](files& all) { all[1] = two_sessions(ours)[3]; }, copied, copied,
       "PASS"},
      {"a run of the baseline, twice", [](files& all) { all[1] = all[2] = two_sessions(ours)[3]; },
       copied, copied, copied},
      {"a run of the baseline with another start", [=](files& all) { all[1] = ours(3, at + 5min); },
       copied, copied, copied},
      {"at the time of a run of the baseline",
       [=](files& all) { start(all[1], first_day + 24h + 4min); }, together, together, together},
      {"of another program", [=](files& all) { all = three_new(of_another_program); },
       "different programs", "another program", "different programs"},
      {"a driver of another version",
       [](files& all) { change_all(all, "/context/transfers/device/driver_version", "1"); },
       "device.driver_version", "INCONCLUSIVE", "differs"},
      {"of another GPU", [](files& all) { change_all(all, uuid, "GPU-another"); }, "PASS",
       "INCONCLUSIVE", "differs"},
      {"with other options", [](files& all) { change_all(all, options, json::array()); }, "PASS",
       "INCONCLUSIVE", "differs"},
      {"with faults injected",
       [](files& all) {
         change_all(all, "/context/transfers/run/faults_injected", {"slow:3@copy"});
       },
       "faults injected on purpose", "PASS", "faults_injected"},
      {"all failed",
       [](files& all) {
         for (auto& row : all[1]["benchmarks"]) {
           row["error_occurred"] = true;
           row["error_message"] = "no memory";
         }
       },
       "no benchmark with a figure", "INCONCLUSIVE", "nothing_measured"},
      {"too few repetitions of all",
       [](files& all) {
         for (auto& row : all[1]["benchmarks"])
           if (row["repetition_index"].get<int>() > 0) row["disturbed"] = {"other_load"};
       },
       "no benchmark with a figure", "INCONCLUSIVE", "nothing_measured"}};
  auto with_warnings = kinds;
  for (const auto* code : {"gpu_throttled", "gpu_clock_fell", "cpu_throttled", "link_changed"})
    with_warnings.push_back({code,
                             [=](files& all) {
                               change_all(all, "/context/transfers/warnings", warning(code));
                               slower(all);
                             },
                             "it was", "INCONCLUSIVE", "disturbed"});
  const auto old = two_sessions(ours);
  const auto before = pinned(old);
  const auto between = joined(session(ours, 4, 3, 40), session(ours, 6, 3, 50));
  for (const auto& [name, change, by_pin, by_check, by_history] : with_warnings) {
    auto after = three_new(ours);
    change(after);
    EXPECT_THAT(answer_or_complaint([&] {
                  pin(read_all(joined(old, after)), {});
                  return "PASS";
                }),
                HasSubstr(by_pin))
        << name;
    EXPECT_THAT(answer_or_complaint([&] { return to_string(answer_to(before, after).code); }),
                HasSubstr(by_check))
        << name;
    EXPECT_THAT(answer_or_complaint([&] {
                  return left_out_of(history_of(before, read_all(joined(between, after)), {}));
                }),
                HasSubstr(by_history))
        << name;
  }
}

TEST(what_a_run_is, is_left_out_of_a_history_unless_permitted) {
  const auto before = pinned(two_sessions(ours));
  auto runs = joined(session(ours, 4, 3, 40), session(ours, 6, 3, 50));
  auto newest = three_new(ours);
  change_all(newest, uuid, "GPU-another");
  runs = joined(runs, newest);
  const auto strict = history_of(before, read_all(runs), {});
  EXPECT_EQ(strict.code(), exit_code::inconclusive);
  EXPECT_EQ(strict.counting_sessions(), 4U);
  EXPECT_EQ(strict.sessions.back().left_out(), 3U);
  EXPECT_FALSE(strict.benchmarks.front().shifts.back());
  question permitting;
  permitting.allow_different = {"device.uuid"};
  const auto permitted = history_of(before, read_all(runs), permitting);
  EXPECT_EQ(permitted.code(), exit_code::pass);
  EXPECT_EQ(permitted.counting_sessions(), 5U);
  EXPECT_THAT(permitted.sessions.back().changed, testing::ElementsAre("device.uuid"));
  EXPECT_TRUE(permitted.benchmarks.front().shifts.back());
}

// Other programs.

TEST(what_another_programs_run_is, is_said_by_googles_context) {
  const std::vector<attempt> attempts{
      changing("another machine", "/context/host_name", "another", "host_name"),
      changing("a machine that is not told", "/context/host_name", nullptr, "host_name"),
      changing("fewer CPUs", "/context/num_cpus", 4, "num_cpus"),
      changing("a faster clock", "/context/mhz_per_cpu", 5000, "mhz_per_cpu"),
      changing("other caches", "/context/caches/0/size", 32768, "caches"),
      changing("no caches", "/context/caches", json::array(), "caches"),
      changing("frequency scaling", "/context/cpu_scaling_enabled", true, "cpu_scaling_enabled"),
      changing("a debug build", "/context/library_build_type", "debug", "library_build_type"),
      changing("nothing told", "/context", {{"date", "2026-12-01T00:00:00Z"}}, "num_cpus"),
      {"a month older",
       [](files& all) {
         for (auto& file : all) file["context"]["date"] = text_of(first_day - 720h);
       },
       "run.started_utc"},
  };
  expect_difference(pinned(two_sessions(of_another_program)), of_another_program, attempts);
}

TEST(what_another_programs_run_is, is_not_said_by_what_may_differ) {
  const std::vector<attempt> attempts{
      {"nothing", [](files&) {}, ""},
      changing("load", "/context/load_avg", {9, 9, 9}),
      changing("another build", "/context/executable", "./new/my_bench"),
      changing("the clock as measured", "/context/mhz_per_cpu", 2093),
      changing("no date", "/context/date", nullptr),
      {"rates by the CPU's time",
       [](files& all) {
         for (auto& file : all)
           for (auto& row : file["benchmarks"]) {
             row["real_time"] = row["real_time"].get<double>();
             row["bytes_per_second"] = 1e6 / (row["cpu_time"].get<double>() / 1e9);
           }
       },
       ""},
  };
  expect_pass(pinned(two_sessions(of_another_program)), of_another_program, attempts);
}

TEST(what_another_programs_run_is, may_be_any_of_a_baseline_of_several) {
  auto before = two_sessions(of_another_program);
  for (std::size_t i = 0; i < before.size(); ++i)
    before[i]["context"]["host_name"] = i < 5 ? "one" : "two";
  const std::vector<attempt> known{changing("one", "/context/host_name", "one"),
                                   changing("two", "/context/host_name", "two")};
  expect_pass(pinned(before), of_another_program, known);
  const std::vector<attempt> others{changing("three", "/context/host_name", "three", "host_name")};
  expect_difference(pinned(before), of_another_program, others);
}

TEST(what_another_programs_run_is, is_one_process) {
  const std::vector<attempt> attempts{
      {"a copy with another date",
       [](files& all) {
         all[1] = all[0];
         all[1]["context"]["date"] = text_of(first_day + 10 * 24h);
       },
       "the same measurements"},
      {"a run of the baseline with another date",
       [](files& all) { all[1] = of_another_program(3, first_day + 10 * 24h); },
       "the same measurements"},
  };
  expect_refusal(pinned(two_sessions(of_another_program)), of_another_program, attempts);
}

TEST(what_another_programs_run_is, does_the_same_work) {
  const auto times = [](const char* rate, double factor) {
    return [=](files& all) {
      for (auto& file : all)
        for (auto& row : file["benchmarks"]) row[rate] = factor * row[rate].get<double>();
    };
  };
  const auto without_key = [](const char* key) {
    return [=](files& all) {
      for (auto& file : all)
        for (auto& row : file["benchmarks"]) row.erase(key);
    };
  };
  const std::vector<attempt> attempts{
      {"half of the bytes", times("bytes_per_second", 0.5), "bytes_per_second"},
      {"twice the bytes", times("bytes_per_second", 2), "bytes_per_second"},
      {"95 % of the bytes", times("bytes_per_second", 0.95), "bytes_per_second"},
      {"half of the items", times("items_per_second", 0.5), "items_per_second"},
      {"bytes not told", without_key("bytes_per_second"), "bytes_per_second"},
      {"items not told", without_key("items_per_second"), "items_per_second"},
      {"another label",
       [](files& all) {
         for (auto& file : all)
           for (auto& row : file["benchmarks"]) row["label"] = "batch 8";
       },
       "label"},
      {"no label", without_key("label"), "label"},
      {"half of the items in one repetition",
       [](files& all) {
         for (auto& file : all)
           for (auto& row : file["benchmarks"])
             if (row["repetition_index"] == 1)
               row["items_per_second"] = row["items_per_second"].get<double>() / 2;
       },
       "items_per_second"},
      {"another label in one repetition",
       [](files& all) {
         for (auto& file : all)
           for (auto& row : file["benchmarks"])
             if (row["repetition_index"] == 1) row["label"] = "batch 8";
       },
       "label"},
  };
  const auto before = pinned(two_sessions(of_another_program));
  for (const auto& [name, change, expected] : attempts) {
    auto after = three_new(of_another_program);
    change(after);
    const auto answer = answer_to(before, after);
    EXPECT_EQ(answer.code, exit_code::inconclusive) << name;
    for (const auto& benchmark : answer.findings) {
      EXPECT_EQ(benchmark.result, verdict::missing) << name;
      EXPECT_EQ(std::get<remarks::other_work>(*benchmark.note).key, expected) << name;
    }
  }
  // What the baseline's own runs do not agree in is not compared.
  auto mixed = two_sessions(of_another_program);
  for (auto& row : mixed[4]["benchmarks"]) row["label"] = "another";
  auto after = three_new(of_another_program);
  change_all(after, "/benchmarks/0/label", "a third");
  EXPECT_EQ(answer_to(pinned(mixed), after).code, exit_code::pass);
}

// Repetitions that are not there.

void disturb(json& file, int count, const char* how, int least_benchmark = 0) {
  int index = 0;
  for (auto& row : file["benchmarks"]) {
    const int benchmark = index++ / repetitions;
    if (benchmark >= least_benchmark && row["repetition_index"].get<int>() < count)
      row["disturbed"] = {how};
  }
}

void take_away(json& file, int count) {
  json kept = json::array();
  for (const auto& row : file["benchmarks"])
    if (row["repetition_index"].get<int>() >= count) kept.push_back(row);
  file["benchmarks"] = kept;
}

TEST(repetitions, are_too_few_if_less_than_half_are_left) {
  const auto in_all = [](auto change) {
    return [=](files& all) {
      for (auto& file : all) change(file);
    };
  };
  const std::vector<attempt> attempts{
      {"8 of 9 with another load", in_all([](json& file) { disturb(file, 8, "other_load"); }), ""},
      {"5 of 9 with another load", in_all([](json& file) { disturb(file, 5, "other_load"); }), ""},
      {"5 of 9 with fewer CPUs", in_all([](json& file) { disturb(file, 5, "fewer_cpus"); }), ""},
      {"5 of 9 stopped", in_all([](json& file) { disturb(file, 5, "stopped"); }), ""},
      {"5 of 9 while the clock jumped",
       in_all([](json& file) { disturb(file, 5, "clock_jumped"); }), ""},
      {"9 of 9 with another load", in_all([](json& file) { disturb(file, 9, "other_load"); }), ""},
      {"9 of 9 with fewer CPUs", in_all([](json& file) { disturb(file, 9, "fewer_cpus"); }), ""},
      {"9 of 9 stopped", in_all([](json& file) { disturb(file, 9, "stopped"); }), ""},
      {"9 of 9 while the clock stood still",
       in_all([](json& file) { disturb(file, 9, "clock_stood_still"); }), ""},
      {"5 of 9 with another load, the others stopped", in_all([](json& file) {
         disturb(file, 9, "stopped");
         disturb(file, 5, "other_load");
       }),
       ""},
      {"5 of 9 are not there", in_all([](json& file) { take_away(file, 5); }), ""},
      {"3 of 9 are not there and 2 disturbed", in_all([](json& file) {
         disturb(file, 5, "other_load");
         take_away(file, 3);
       }),
       ""},
      {"in one run of three", [](files& all) { disturb(all[1], 8, "other_load"); }, ""},
  };
  const auto before = pinned(two_sessions(ours));
  for (const auto& [name, change, expected] : attempts) {
    auto after = three_new(ours);
    change(after);
    const auto answer = answer_to(before, after);
    EXPECT_EQ(answer.code, exit_code::inconclusive) << name;
    ASSERT_EQ(answer.reasons.size(), 1U) << name;
    const auto& cause = std::get<reasons::repetitions_left_out>(answer.reasons.front());
    EXPECT_EQ(cause.count, std::size_t{benchmarks}) << name;
    for (const auto& benchmark : answer.findings) {
      EXPECT_EQ(benchmark.result, verdict::not_known) << name;
      EXPECT_TRUE(std::holds_alternative<remarks::few_repetitions>(*benchmark.note)) << name;
    }
  }
}

TEST(repetitions, are_enough_if_half_are_left) {
  const std::vector<attempt> attempts{
      {"4 of 9 disturbed",
       [](files& all) {
         for (auto& file : all) disturb(file, 4, "other_load");
       },
       ""},
      {"4 of 9 are not there",
       [](files& all) {
         for (auto& file : all) take_away(file, 4);
       },
       ""},
  };
  expect_pass(pinned(two_sessions(ours)), ours, attempts);
}

TEST(repetitions, that_were_disturbed_have_not_failed) {
  for (const auto* how : {"other_load", "stopped"})
    for (const int count : {5, 9}) {
      auto file = ours(0, first_day);
      disturb(file, count, how);
      const auto shown = side_by_side(read_all({file}), {}, 80);
      EXPECT_THAT(shown, HasSubstr("disturbed")) << how << count;
      EXPECT_THAT(shown, Not(HasSubstr("failed"))) << how << count;
    }
}

TEST(repetitions, of_single_benchmarks_leave_the_others_to_be_judged) {
  auto after = three_new(ours);
  for (auto& file : after) disturb(file, 8, "other_load", benchmarks - 1);
  const auto answer = answer_to(pinned(two_sessions(ours)), after);
  EXPECT_EQ(answer.code, exit_code::pass);
  EXPECT_EQ(answer.count(verdict::not_known), 1U);
  EXPECT_EQ(answer.classes.front().tested, std::size_t{benchmarks - 1});
}

TEST(repetitions, that_are_too_few_are_not_used_in_a_baseline) {
  auto all = two_sessions(ours);
  disturb(all[2], 8, "other_load", benchmarks - 2);
  const auto result = pin(read_all(all), {});
  ASSERT_FALSE(result.warnings.empty());
  const auto& warning = std::get<pin_warnings::few_repetitions>(result.warnings.front());
  EXPECT_EQ(warning.benchmarks, 2U);
  EXPECT_FALSE(result.baseline.benchmarks.at("copy/pinned/h2d/12MiB").figures[2]);
  EXPECT_FALSE(result.baseline.benchmarks.at("copy/pinned/h2d/12MiB").means[2]);
}

}  // namespace
}  // namespace bench_transfers::gate::what_a_run_is_test
