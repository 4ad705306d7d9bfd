#include "src/imports/nvbandwidth_document.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/common/text.hpp"
#include "src/result_file/format.hpp"

namespace bench_transfers::imports {
namespace {

using json = nlohmann::ordered_json;

json row_of(const nvbandwidth_copy& copy) {
  return {{"name", copy.described.name},
          {"run_name", copy.described.name},
          {"run_type", "iteration"},
          {"repetitions", 1},
          {"repetition_index", 0},
          {"threads", 1},
          {"iterations", 1},
          {"real_time", copy.time_ns},
          {"cpu_time", nullptr},
          {"time_unit", "ns"},
          {"bytes", *copy.described.size_bytes},
          {"median_ns", copy.time_ns},
          {"gb_per_s", copy.gb_per_s},
          {"device_ns", copy.time_ns},
          {"device_gb_per_s", copy.gb_per_s}};
}

json devices(const nvbandwidth_run& run) {
  json list = json::array();
  for (std::size_t i = 0; i < run.device_names.size(); ++i)
    list.push_back({{"id", id_of_nvbandwidth_device(i)},
                    {"kind", "cuda"},
                    {"name", common::or_null(run.device_names[i])},
                    {"why_not_gpu", nullptr},
                    {"index", i},
                    {"uuid", nullptr},
                    {"driver_version", common::or_null(run.driver_version)},
                    {"link", nullptr},
                    {"clocks", nullptr}});
  return list;
}

json benchmarks(const nvbandwidth_run& run) {
  json all = json::object();
  for (const auto& copy : run.copies) all[copy.described.name] = to_json(copy.described);
  return all;
}

json metrics() {
  using result_file::better;
  using result_file::metric_kind;
  json list = json::object();
  for (const result_file::metric& counter : std::vector<result_file::metric>{
           {"bytes", "B", metric_kind::size, {}, "bytes that one operation moves"},
           {"median_ns", "ns", metric_kind::duration, better::less,
            "time of one copy by the device's clock, of nvbandwidth's rate"},
           {"gb_per_s", "GB/s", metric_kind::rate, better::more,
            "rate that nvbandwidth has printed, timed on the device", true},
           {"device_ns", "ns", metric_kind::duration, better::less, "the same as median_ns"},
           {"device_gb_per_s", "GB/s", metric_kind::rate, better::more, "the same as gb_per_s"}})
    list[counter.name] = to_json(counter);
  return list;
}

json roles() {
  json list = json::object();
  for (const result_file::role& described :
       {result_file::role{"copy", "copies of one block between host memory and the device",
                          result_file::table::directions},
        result_file::role{nvbandwidth_program,
                          "other copies from and to the host, as nvbandwidth makes them",
                          result_file::table::directions}})
    list[described.name] = to_json(described);
  return list;
}

json strategies(const nvbandwidth_run& run) {
  std::map<std::string, std::set<std::string>> variants;
  for (const auto& copy : run.copies)
    variants[copy.described.strategy].insert(*copy.described.variant);
  json list = json::array();
  for (const auto& [strategy, of_strategy] : variants)
    list.push_back({{"name", strategy},
                    {"summary", "measured by nvbandwidth"},
                    {"variants", of_strategy},
                    {"memory", "pinned"}});
  return list;
}

json skipped(const nvbandwidth_run& run) {
  return common::list_of(run.skipped, [](const auto& each) {
    return json{{"name", each.name}, {"reason", common::to_json(each.reason)}};
  });
}

common::message warning_of_origin(const nvbandwidth_run& run) {
  return {"imported",
          {{"program", nvbandwidth_program},
           {"version", common::or_null(run.version)},
           {"buffer_bytes", run.buffer_bytes}},
          fmt::format("imported from {}{}: timed on the device, a single value each, data not "
                      "verified by bench_transfers",
                      nvbandwidth_program, run.version.empty() ? "" : " " + run.version)};
}

json warnings(const nvbandwidth_run& run) {
  auto list = json::array({common::to_json(warning_of_origin(run))});
  for (const auto& word : run.words) list.push_back(common::to_json(word));
  return list;
}

json facts(const nvbandwidth_run& run, const std::filesystem::path& file) {
  auto all = devices(run);
  auto first = all.front();
  for (const auto* key : {"id", "link", "clocks"}) first.erase(key);
  return {{"format", result_file::newest_format},
          {"complete", run.is_complete},
          {"imported",
           {{"program", nvbandwidth_program},
            {"version", common::or_null(run.version)},
            {"git_version", common::or_null(run.git_version)},
            {"cuda_runtime_version", run.cuda_runtime_version},
            {"file", common::printable(file.filename().string())}}},
          {"program", nullptr},
          {"run",
           {{"sizes", json::array({run.buffer_bytes})},
            {"faults_injected", json::array()},
            {"labels", json::object()},
            {"note", nullptr},
            {"command_line", json::array()},
            {"started_utc", nullptr},
            {"finished_utc", nullptr},
            {"interrupted_by", nullptr}}},
          {"device", std::move(first)},
          {"link", nullptr},
          {"clocks", nullptr},
          {"devices", std::move(all)},
          {"fleet", nullptr},
          {"machine", json::object()},
          {"clock", {{"name", "CUDA events"}, {"read_ns", nullptr}, {"resolution_ns", nullptr}}},
          {"buffers", json::array()},
          {"strategies", strategies(run)},
          {"roles", roles()},
          {"benchmarks", benchmarks(run)},
          {"metrics", metrics()},
          {"skipped", skipped(run)},
          {"warnings", warnings(run)}};
}

}  // namespace

json document_of(const nvbandwidth_run& run, const std::filesystem::path& file) {
  return {{"context",
           {{"host_name", run.host_name},
            {"executable", nvbandwidth_program},
            {"json_schema_version", 1},
            {"transfers", facts(run, file)}}},
          {"benchmarks", common::list_of(run.copies, row_of)}};
}

}  // namespace bench_transfers::imports
