#include <deque>
#include <nlohmann/json.hpp>
#include <random>

#include "bench/cli/choose_device.hpp"
#include "bench/cli/run.hpp"
#include "bench/commands/set_meter.hpp"
#include "bench/harness/interruption.hpp"
#include "bench/record/observe.hpp"
#include "bench/record/program_facts.hpp"
#include "src/claims/file_claim.hpp"
#include "src/command/command.hpp"
#include "src/command/options.hpp"
#include "src/common/message.hpp"
#include "src/common/writing.hpp"
#include "src/doctor/checks/diagnose.hpp"
#include "src/doctor/read/collect.hpp"
#include "src/doctor/report/report.hpp"
#include "src/machine/machine.hpp"
#include "src/machine/pci_device.hpp"
#include "src/statistics/quantile.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench {
namespace {

/// As the profile sweep's largest copies: the cost of a call is a small part of them.
constexpr std::size_t measured_bytes = std::size_t{64} << 20;

std::string doctor_footer() {
  return "Reads what slows transfers: PCIe links, NUMA binding, clocks, limits, settings. It "
         "copies\n"
         "for 25 ms, since links and clocks rise under load; --measure also measures the link.\n"
         "docs/DOCTOR.md explains each code.\n"
         "Exit codes: 0 healthy, 1 findings, 2 usage, 3 cannot be known (as without a GPU),\n"
         "130/143 interrupted.";
}

doctor::gpu_facts gpu_of(transfers::device& device, const std::string& id) {
  const auto& description = device.description();
  const auto& cuda = *description.cuda;
  doctor::gpu_facts gpu{.id = id, .name = description.name, .bus_id = cuda.pci_bus_id};
  gpu.on_pcie = !cuda.integrated && !cuda.host_page_tables;
  gpu.memory_bytes = cuda.memory_bytes;
  gpu.driver_cuda_version = cuda.driver_cuda_version;
  gpu.runtime_cuda_version = cuda.runtime_cuda_version;
  gpu.node.cuda = cuda.host_numa_node;
  const auto monitor = open_monitor(device);
  if (monitor) gpu.counters_before = doctor::read_counters(*monitor);
  const auto read = [&](bool under_load) {
    gpu.under_load = under_load;
    doctor::read_gpu(gpu, monitor.get());
  };
  try {
    look_under_load(device, [&] { read(true); });
  } catch (const transfers::error&) {
    read(false);  // The GPU cannot copy now: what it tells without is still worth knowing.
  }
  return gpu;
}

/// GPUs that CUDA does not open: without a driver, or with one that is too old.
std::vector<doctor::gpu_facts> gpus_without_cuda() {
  std::vector<doctor::gpu_facts> gpus;
  for (const auto& address : machine::nvidia_gpus()) {
    doctor::gpu_facts gpu{.id = address, .name = "", .bus_id = address};
    doctor::read_gpu(gpu, machine::monitor_gpu(address).get());
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

/// Copies of each GPU alone, in both directions. Throws transfers::error.
void measure_copies(const devices_choice& devices, doctor::facts& facts) {
  const auto seed = std::random_device{}();
  std::deque<buffers> memory;
  device_list list;
  for (std::size_t i = 0; i < devices.chosen.size(); ++i) {
    auto& device = *devices.chosen[i];
    list.push_back({device, memory.emplace_back(device, seed), {}, nullptr, devices.ids[i]});
  }
  set_meter meter(list, measured_bytes);
  for (std::size_t i = 0; i < list.size(); ++i)
    for (const auto towards : {topology::traffic::h2d, topology::traffic::d2h}) {
      const auto measured = meter.measure(topology::flows_of(topology::device_set::of(i), towards));
      if (measured.rates.empty()) {
        facts.why_not_measured = measured.why_not;
        continue;
      }
      facts.copies.push_back(
          {devices.ids[i],
           towards == topology::traffic::h2d ? doctor::direction::h2d : doctor::direction::d2h,
           measured_bytes, statistics::median(measured.rates.front()) / 1e9});
    }
}

/// The counters once more, now that much was copied.
void read_counters_again(doctor::facts& facts) {
  for (auto& gpu : facts.gpus)
    if (const auto monitor = machine::monitor_gpu(gpu.bus_id))
      gpu.counters_after = doctor::read_counters(*monitor);
}

/// Looks at the devices of the list through CUDA.
void examine_devices(const std::string& list, bool measures, doctor::facts& facts) {
  const auto devices = choose_devices(list);
  if (devices.why_not_gpu)
    facts.why_no_cuda = devices.why_not_gpu->data.at("reason").get<std::string>();
  if (!devices.chosen.front()->description().cuda) return;
  for (std::size_t i = 0; i < devices.chosen.size(); ++i)
    facts.gpus.push_back(gpu_of(*devices.chosen[i], devices.ids[i]));
  if (measures) try {
      measure_copies(devices, facts);
      read_counters_again(facts);
    } catch (const transfers::error& failed) {
      facts.why_not_measured = failed.what();
    }
}

doctor::facts collect(const std::string& list, bool measures) {
  const auto quota_before = machine::cpu_quota_of_this_process();
  doctor::facts facts;
  try {
    examine_devices(list, measures, facts);
  } catch (const transfers::error& failed) {
    facts = {};
    facts.why_no_cuda = failed.what();
  }
  if (facts.why_no_cuda) facts.gpus = gpus_without_cuda();
  const auto described = machine::describe();
  auto process = doctor::read_process(described);
  if (quota_before) process.throttled_periods_before = quota_before->throttled_periods;
  facts.host = doctor::read_host(described, process);
  return facts;
}

/// With who has answered, where and when.
std::string text_of_document(nlohmann::ordered_json document) {
  document["context"] = program_in_document();
  return common::text_of(document);
}

/// Examines this machine, prints why its transfers may be slow, and writes the same as JSON if that
/// is requested.
class doctor_command final : public commands::command {
 public:
  explicit doctor_command(CLI::App& options) {
    options.footer(doctor_footer());
    options.add_option("--device", device_, "all (the default), cuda:0,2-3, or another list")
        ->type_name("DEVICES");
    options.add_flag("--measure", measures_, "also measure copies of pinned memory");
    commands::add_json(options, json_);
  }

  [[nodiscard]] common::exit_code run() const override {
    watch_for_interruption();
    const auto claimed = claims::claim_outputs({json_}, {});
    const auto facts = collect(device_, measures_);
    const auto diagnosis = doctor::diagnose(facts);
    common::write_outputs(
        {{json_, [&] { return text_of_document(doctor::document_of(facts, diagnosis)); }}},
        [&] { return doctor::text_of(facts, diagnosis); });
    return interruption() != 0 ? common::code_of_signal(interruption())
                               : doctor::conclude(diagnosis);
  }

  [[nodiscard]] commands::offers offered() const override {
    return {{"--device", {"all", "cuda:"}}};
  }

 private:
  std::string device_ = "all";
  bool measures_ = false;
  std::filesystem::path json_;  ///< empty: none
};

const commands::registration<doctor_command> examining{
    "doctor", "Say why transfers may be slow on this machine."};

}  // namespace
}  // namespace bench_transfers::bench
