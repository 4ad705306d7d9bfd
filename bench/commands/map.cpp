#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <deque>
#include <nlohmann/json.hpp>
#include <random>

#include "bench/cli/choose_device.hpp"
#include "bench/cli/run.hpp"
#include "bench/commands/set_meter.hpp"
#include "bench/harness/interruption.hpp"
#include "bench/harness/progress.hpp"
#include "bench/record/program_facts.hpp"
#include "src/claims/file_claim.hpp"
#include "src/command/command.hpp"
#include "src/common/program.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/common/writing.hpp"
#include "src/machine/numa.hpp"
#include "src/topology/infer/infer.hpp"
#include "src/topology/infer/near_nodes.hpp"
#include "src/topology/report/report.hpp"
#include "src/transfers/core/units.hpp"

namespace bench_transfers::bench {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;

std::string map_footer() {
  return "Copies of pinned memory, one or many at once, show which devices share a link, and what\n"
         "it gives. Devices are those of --device of bench_transfers; docs/MAP.md has the method.\n"
         "Exit codes: 0 all sets measured, 1 some were not, 2 usage, 3 nothing was measured,\n"
         "130/143 interrupted.";
}

std::size_t bytes_of(const std::string& size) {
  const auto bytes = common::parse_size(size);
  if (bytes == 0 || bytes > most_bytes)
    throw common::usage_error(
        fmt::format("bad --size '{}': from 1B to 1GiB", common::printable_in_short(size)));
  return bytes;
}

bool has_gpu(const devices_choice& devices) {
  return devices.chosen.front()->description().cuda.has_value();
}

/// 0 if the C library does not know it.
std::size_t last_level_cache_bytes() {
  for (const int level : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE})
    if (const auto bytes = ::sysconf(level); bytes > 0) return static_cast<std::size_t>(bytes);
  return 0;
}

/// Copies that stay in the CPU's cache do not show what the host's memory limits: those of all GPUs
/// at once take up at least twice the cache. Host devices are made up, and small copies do.
std::size_t default_bytes(const devices_choice& devices) {
  using transfers::detail::mib;
  if (!has_gpu(devices)) return 16 * mib;
  const auto copies = 2 * devices.chosen.size();
  return std::clamp(std::bit_ceil(2 * last_level_cache_bytes() / copies), 64 * mib, most_bytes);
}

std::string heading_of(const devices_choice& devices, std::size_t bytes) {
  std::string heading =
      has_gpu(devices) ? ""
                       : "Measured without a GPU: these devices are this host's own memory, and "
                         "their links are emulated.\n";
  for (std::size_t i = 0; i < devices.chosen.size(); ++i)
    heading += fmt::format("{}: {}\n", devices.ids[i],
                           common::printable(devices.chosen[i]->description().name));
  return heading + fmt::format("Copies of {} of pinned memory\n\n", common::format_size(bytes));
}

/// How the map was measured.
nlohmann::ordered_json context_of(const devices_choice& devices, std::size_t bytes) {
  auto list = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < devices.chosen.size(); ++i) {
    const auto& description = devices.chosen[i]->description();
    list.push_back({{"id", devices.ids[i]},
                    {"kind", description.kind},
                    {"name", description.name},
                    {"uuid", description.cuda ? nlohmann::ordered_json(description.cuda->uuid)
                                              : nlohmann::ordered_json()}});
  }
  auto context = program_in_document();
  context.update({{"without_gpu", !has_gpu(devices)},
                  {"memory", "pinned"},
                  {"size_bytes", bytes},
                  {"devices", list}});
  return context;
}

topology::host_map measured_map(const devices_choice& devices, std::size_t bytes, progress& shown) {
  const auto start = wall_clock::now();
  const auto seed = std::random_device{}();
  std::deque<buffers> memory;
  device_list list;
  for (std::size_t i = 0; i < devices.chosen.size(); ++i) {
    auto& device = *devices.chosen[i];
    list.push_back({device, memory.emplace_back(device, seed), {}, nullptr, devices.ids[i]});
  }
  shown.say("allocating and filling buffers …");
  set_meter meter(list, bytes);
  const auto seconds = [&] {
    return std::chrono::duration<double>(wall_clock::now() - start).count();
  };
  auto map = topology::infer(
      pci_view_of(devices), devices.ids, [&](const auto& set) { return meter.measure(set); },
      [&](std::size_t done, std::size_t most) {
        const std::chrono::duration<double> left(seconds() / static_cast<double>(done) *
                                                 static_cast<double>(most - done));
        shown.show({"measuring sets,", done, most, "at most", left});
      });
  map.nodes = topology::rates_by_node(
      devices.chosen.size(), machine::numa_nodes(),
      [&](int node, const auto& set) { return meter.measure_on_node(node, set); });
  map.seconds = seconds();
  return map;
}

/// Measures which links the devices share, prints the map, and writes it if that is requested.
class map_command final : public commands::command {
 public:
  explicit map_command(CLI::App& options) {
    options.footer(map_footer());
    options.add_option("--device", device_, "all (the default), cuda:0,2-3, or another list")
        ->type_name("DEVICES");
    options.add_option("--size", size_, "of each copy (default: by the CPU's cache)")
        ->type_name("SIZE");
    options.add_option("--out", out_, "write the map (host_map.json; - prints it alone)")
        ->type_name("FILE");
  }

  [[nodiscard]] common::exit_code run() const override {
    watch_for_interruption();
    const auto asked = size_.empty() ? 0 : bytes_of(size_);
    const auto devices = choose_devices(device_);
    if (devices.chosen.size() > topology::most_devices)
      throw common::usage_error(
          fmt::format("a map has at most {} devices", topology::most_devices));
    const auto claimed = claims::claim_outputs({out_}, {});
    const auto bytes = asked > 0 ? asked : default_bytes(devices);
    progress shown(stderr);
    if (devices.why_not_gpu) shown.say(devices.why_not_gpu->text);
    const auto map = measured_map(devices, bytes, shown);
    shown.clear();
    common::write_outputs(
        {{out_, [&] { return topology::text_of_host_map(map, context_of(devices, bytes)); }}},
        [&] { return heading_of(devices, bytes) + topology::text_of(map); });
    return exit_code_of(map);
  }

  [[nodiscard]] commands::offers offered() const override {
    return {{"--device", {"all", "cuda:"}}};
  }

 private:
  static exit_code exit_code_of(const topology::host_map& map) {
    if (interruption() != 0) return common::code_of_signal(interruption());
    if (map.sets.empty()) return exit_code::nothing_ran;
    const bool is_whole =
        map.skipped.empty() &&
        std::ranges::all_of(map.nodes, [](const auto& node) { return node.why_not.empty(); });
    return is_whole ? exit_code::done : exit_code::something_failed;
  }

  std::string device_ = "all";
  std::string size_;           ///< of each copy, as common::parse_size takes it; empty: by itself
  std::filesystem::path out_;  ///< empty: none
};

const commands::registration<map_command> mapping{
    "map", "Find the links that devices share, and what they give."};

}  // namespace
}  // namespace bench_transfers::bench
