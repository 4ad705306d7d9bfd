#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/common/quantities.hpp"
#include "src/report/report.hpp"
#include "src/result_file/reader.hpp"
#include "tests/basics.hpp"

namespace bench_transfers::report {

inline const std::vector<double> six{0.99, 0.995, 1.0, 1.0, 1.005, 1.01};

/// A run with a GPU: benchmarks with their repetitions, and its facts.
class made_up_run {
 public:
  json facts{{"format", 2},
             {"complete", true},
             {"device", {{"kind", "cuda"}, {"name", "GPU"}}},
             {"devices", {{{"id", "cuda:0"}, {"kind", "cuda"}, {"name", "GPU"}}}},
             {"link", {{"type", "pcie"}, {"limit_gb_per_s", 63.0}}},
             {"run", json::object()},
             {"roles", json::object()},
             {"metrics", json::object()},
             {"benchmarks", json::object()},
             {"skipped", json::array()},
             {"warnings", json::array()}};

  std::size_t processes = 1;  ///< set before what they measure in turn, one repetition each

  /// Of a role and kind of memory: a time in ns, and each repetition as a part of it.
  made_up_run& add(const std::string& strategy, const json& described, std::size_t size, double ns,
                   const std::vector<double>& parts = six, const json& counters = json::object()) {
    json entry{{"family", strategy.substr(0, strategy.find('/'))},
               {"strategy", strategy},
               {"role", "copy"},
               {"direction", "none"},
               {"variant", described.value("direction", "none")},
               {"size_bytes", size},
               {"cache", "warm"},
               {"devices", {0}},
               {"plainness", 0}};
    entry.update(described);
    const auto role = entry["role"].get<std::string>();
    facts["roles"][role] = {{"description", role},
                            {"table", role == "allocation" ? "allocation" : "times"}};
    auto name =
        strategy + "/" + entry["variant"].get<std::string>() + "/" + common::format_size(size);
    if (entry["cache"] != "warm") name += "/" + entry["cache"].get<std::string>();
    facts["benchmarks"][name] = entry;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      json row{{"name", name},
               {"run_name", name},
               {"run_type", "iteration"},
               {"repetition_index", i},
               {"median_ns", ns * parts[i]},
               {"bytes", size},
               {"real_time", ns * parts[i]},
               {"cpu_time", ns * parts[i]},
               {"time_unit", "ns"},
               {"process", i % processes + 1}};
      row.update(counters);
      rows_.push_back(row);
    }
    return *this;
  }

  /// Copies in both directions.
  made_up_run& copies(const std::string& memory, std::size_t size, double ns,
                      const std::vector<double>& parts = six, json more = json::object()) {
    for (const auto* direction : {"h2d", "d2h"}) {
      json described{{"memory", memory},
                     {"direction", direction},
                     {"plainness", memory == "pageable" ? 0 : 1}};
      described.update(more);
      add("copy/" + memory, described, size, ns, parts);
    }
    return *this;
  }

  made_up_run& by_processes(std::size_t count) {
    facts["run"]["processes"] = processes = count;
    for (std::size_t i = 1; i <= count; ++i)
      facts["parts"].push_back({{"number", i}, {"complete", true}});
    return *this;
  }

  made_up_run& without_gpu() {
    facts["device"]["kind"] = facts["devices"][0]["kind"] = "host";
    return *this;
  }

  [[nodiscard]] result_file::contents read() const {
    return result_file::read_json({{"context", {{"transfers", facts}}}, {"benchmarks", rows_}},
                                  "run.json");
  }
  [[nodiscard]] run_report reported() const { return report_of(read(), "run.json"); }

 private:
  json rows_ = json::array();
};

}  // namespace bench_transfers::report
