// Ways to give gate_transfers runs that are not what they seem, each alone: runs that are older, of
// another GPU, machine or setting, one process several times, and rows that are not there. All go
// through the text of result files and of the baseline.

#include <gmock/gmock.h>

#include <set>
#include <string>
#include <vector>

#include "src/gate/judge/history.hpp"
#include "tests/unit/gate/attempts.hpp"
#include "tests/unit/gate/made_up_runs.hpp"

namespace bench_transfers::gate::what_a_run_is_test {
namespace {

using namespace attempts;

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
      {"nothing", [](files&) {}},
      changing("the order of options", options, {"--cache=warm", "--profile=quick"}),
      changing("the GPU by another name", options,
               {"--profile=quick", "--cache=warm", "--device=cuda:0"}),
      changing("files of releases that do not tell options", "/context/transfers/run",
               {{"min_time_ms", 6.0}, {"rounds", 2}, {"random_order", true}}),
      {"in turn with the baseline", [](files& all) { start_all(all, first_day + 24h + 30s); }},
      {"after a restart",
       [](files& all) { change_all(all, "/context/transfers/machine/kernel/boot_id", "another"); }},
  };
  expect_pass(pinned(two_sessions(ours)), ours, attempts);
}

TEST(what_a_run_is, is_one_process) {
  const auto part_of = [](json& file, std::chrono::sys_seconds started, int number) {
    return part(number, text_of(started),
                {{"finished_utc", text_of(started + 27s)},
                 {"boot_id", file["context"]["transfers"]["machine"]["kernel"]["boot_id"]}});
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
      {"one after the other", [=](files& all) { start(all[1], at + 27s); }},
      {"after another start of the machine",
       [=](files& all) {
         start(all[1], at);
         all[1]["context"]["transfers"]["machine"]["kernel"]["boot_id"] = "another";
       }},
      {"two of less than a second", in_files([=](json& file) {
         start(file, at);
         run_of(file)["finished_utc"] = text_of(at);
       })},
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
        if (!has_message<notes::age_unknown>(answer.notes)) return std::size_t{0};
        const auto note = message_in<notes::age_unknown>(answer.notes);
        EXPECT_EQ(note.runs, 3U);
        return note.undated;
      };
      EXPECT_EQ(undated(0, 0), 0U);
      EXPECT_EQ(undated(0, 1), 1U);
      EXPECT_EQ(undated(0, 3), 3U);
      EXPECT_EQ(undated(9, 0), 0U);
      EXPECT_EQ(undated(10, 0), 3U);
    }
}

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
  const auto slower =
      in_rows([](json& row) { row["real_time"] = 1.1 * row["real_time"].get<double>(); });
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

}  // namespace
}  // namespace bench_transfers::gate::what_a_run_is_test
