#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet::made_up_files {

using json = nlohmann::ordered_json;

inline json entry(const char* direction, std::size_t bytes) {
  return {{"family", "copy"},       {"strategy", "copy/pinned"},
          {"memory", "pinned"},     {"variant", direction},
          {"direction", direction}, {"size_bytes", bytes},
          {"cache", "warm"},        {"devices", {0}},
          {"role", "copy"},         {"plainness", 0}};
}

inline json row(const std::string& name, int repetition, double us) {
  return {{"name", name},
          {"run_name", name},
          {"run_type", "iteration"},
          {"repetitions", 2},
          {"repetition_index", repetition},
          {"threads", 1},
          {"iterations", 1},
          {"real_time", us},
          {"cpu_time", us},
          {"time_unit", "us"}};
}

/// A result file of one GPU.
inline json file(const std::string& uuid) {
  const std::string h2d = "copy/pinned/h2d/16MiB";
  const std::string small = "copy/pinned/d2h/4KiB";
  return {{"context",
           {{"host_name", "by-name"},
            {"transfers",
             {{"format", 2},
              {"complete", true},
              {"program", {{"version", "0.1.0"}}},
              {"run", {{"started_utc", "2026-11-22T10:00:00Z"}}},
              {"devices",
               {{{"id", "cuda:0"},
                 {"kind", "cuda"},
                 {"name", "made-up GPU"},
                 {"uuid", uuid},
                 {"pci_bus_id", "0000:c1:00.0"},
                 {"link",
                  {{"generation", 5}, {"width", 8}, {"generation_max", 5}, {"width_max", 16}}}}}},
              {"device", {{"kind", "cuda"}, {"name", "made-up GPU"}, {"uuid", uuid}}},
              {"benchmarks", {{h2d, entry("h2d", 16 << 20)}, {small, entry("d2h", 4096)}}},
              {"roles", {{"copy", {{"description", "copies"}, {"table", "directions"}}}}},
              {"metrics", json::object()},
              {"skipped", json::array()},
              {"warnings",
               {{{"code", "virtual_machine"}, {"data", json::object()}, {"text", "virtual"}}}}}}}},
          {"benchmarks", {row(h2d, 0, 310), row(h2d, 1, 320), row(small, 0, 8), row(small, 1, 9)}}};
}

inline json with_fleet(json document, const json& fleet) {
  document["context"]["transfers"]["fleet"] = fleet;
  return document;
}

inline auto codes(const sweep& sweep) {
  std::vector<std::string> list;
  for (const auto& problem : sweep.problems) list.push_back(problem.code);
  return list;
}

}  // namespace bench_transfers::fleet::made_up_files
