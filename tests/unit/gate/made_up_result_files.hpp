#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "src/gate/io/read_run.hpp"
#include "src/gate/model/bad_input.hpp"
#include "tests/unit/common/complaint.hpp"

namespace bench_transfers::gate {

using json = nlohmann::ordered_json;

/// A repetition as Google Benchmark 1.7 writes it.
inline json row(const std::string& name, int index, json time, const std::string& unit = "ns") {
  return {{"name", name},
          {"run_name", name},
          {"run_type", "iteration"},
          {"repetitions", 2},
          {"repetition_index", index},
          {"threads", 1},
          {"iterations", 1000},
          {"real_time", std::move(time)},
          {"cpu_time", 7},
          {"time_unit", unit}};
}

/// Of releases before 1.5.
inline json old_row(const std::string& name, json time) {
  return {{"name", name},
          {"iterations", 1000},
          {"real_time", std::move(time)},
          {"cpu_time", 7},
          {"time_unit", "ns"}};
}

inline json aggregate(const std::string& benchmark, const std::string& statistic) {
  return {{"name", benchmark + "_" + statistic}, {"run_name", benchmark}, {"run_type", "aggregate"},
          {"aggregate_name", statistic},         {"real_time", 5},        {"time_unit", "ns"}};
}

inline json failed(json row) {
  row["error_occurred"] = true;
  row["error_message"] = "no such device";
  row["real_time"] = 0;
  return row;
}

inline json with(json row, const std::string& key, json value) {
  row[key] = std::move(value);
  return row;
}

inline json without(json row, const std::string& key) {
  row.erase(key);
  return row;
}

/// Another program's file.
inline json foreign(std::vector<json> rows) {
  return {{"context", {{"date", "2026-11-21T15:01:39+01:00"}, {"num_cpus", 4}}},
          {"benchmarks", std::move(rows)}};
}

inline json message(const std::string& text) {
  return {{"code", "other"}, {"data", json::object()}, {"text", text}};
}

/// Of a copy from page-locked memory.
inline json described_copy() {
  return {{"family", "copy"},   {"strategy", "copy/pinned"},
          {"memory", "pinned"}, {"direction", "h2d"},
          {"cache", "warm"},    {"devices", {0}},
          {"role", "copy"},     {"plainness", 0}};
}

inline json bench_transfers_facts() {
  return {
      {"format", 2},
      {"complete", true},
      {"program", {{"git_commit", "abc"}, {"build_type", "Release"}, {"cuda_toolkit", "13.0.88"}}},
      {"run",
       {{"min_time_ms", 6.0},
        {"rounds", 2},
        {"random_order", true},
        {"faults_injected", json::array()},
        {"started_utc", "2026-11-21T10:22:25Z"}}},
      {"device",
       {{"kind", "cuda"},
        {"name", "NVIDIA H200"},
        {"uuid", "GPU-17e5a922"},
        {"compute_capability", "9.0"},
        {"driver_version", "580.159.04"},
        {"driver_cuda_version", "13.0"},
        {"runtime_cuda_version", "13.0"}}},
      {"link", {{"type", "pcie"}, {"generation", 5}, {"width", 16}, {"generation_max", 5}}},
      {"clocks", {{"gpu", {{"sm_mhz", {1980, 1980}}}}, {"cpu", nullptr}}},
      {"machine",
       {{"cpu",
         {{"model", "Some CPU"}, {"numa_nodes", 1}, {"cpus_allowed", 16}, {"governor", nullptr}}},
        {"memory",
         {{"total_bytes", 135148564480},
          {"transparent_hugepage_enabled", "madvise"},
          {"transparent_hugepage_defrag", "never"}}},
        {"process", {{"numa_policy_nodes_allowed", "0"}}},
        {"virtualisation", {{"hypervisor", "KVM"}}},
        {"iommu", {{"enabled", false}}},
        {"kernel", {{"release", "6.1.0"}, {"boot_id", "6fd2ae1c"}}}}},
      {"buffers",
       {{{"memory", "pinned"}, {"memory_type", "write-back"}},
        {{"memory", "pinned_wc"}, {"memory_type", "write-combined"}},
        {{"memory", "managed"}, {"memory_type", nullptr}}}},
      {"devices", {{{"kind", "cuda"}, {"name", "NVIDIA H200"}}}},
      {"roles", {{"copy", {{"description", "copies"}, {"table", "directions"}}}}},
      {"benchmarks", {{"copy/pinned/h2d/4B", described_copy()}}},
      {"metrics", json::object()},
      {"warnings", {message("the CPU is busy")}}};
}

inline json bench_transfers_file(json facts) {
  return {{"context", {{"json_schema_version", 1}, {"transfers", std::move(facts)}}},
          {"benchmarks", {row("copy/pinned/h2d/4B", 0, 1200)}}};
}

inline json changed(json facts, const char* pointer, json value) {
  facts[json::json_pointer(pointer)] = std::move(value);
  return facts;
}

/// A part of a run.
inline json part(int number, const std::string& started, const json& more) {
  json described{{"number", number}, {"complete", true}, {"started_utc", started}};
  described.update(more);
  return described;
}

inline run read_text(const std::string& text, const std::string& key = "real_time") {
  return runs_in(text, "some.json", metric::named(key)).front();
}

inline run read(const json& content, const std::string& key = "real_time") {
  return read_text(content.dump(), key);
}

/// A file of bench_transfers with these facts.
inline run read_facts(const json& facts = bench_transfers_facts()) {
  return read(bench_transfers_file(facts));
}

/// Empty when there is none.
inline std::string complaint_about_text(const std::string& text,
                                        const std::string& key = "real_time") {
  return common::complaint_of<bad_input>([&] { return read_text(text, key); });
}

inline std::string complaint(const json& content, const std::string& key = "real_time") {
  return complaint_about_text(content.dump(), key);
}

/// The same about a file with this row alone.
inline std::string complaint_about_row(const json& row, const std::string& key = "real_time") {
  return complaint(foreign({row}), key);
}

inline std::vector<double> values(const json& content, const std::string& benchmark,
                                  const std::string& key = "real_time") {
  return read(content, key).benchmarks.at(benchmark).values;
}

}  // namespace bench_transfers::gate
