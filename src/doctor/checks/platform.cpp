#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "src/doctor/checks/registration.hpp"
#include "src/doctor/checks/remedies.hpp"
#include "src/machine/cuda_release.hpp"
#include "src/machine/files.hpp"

namespace bench_transfers::doctor::checks {
namespace {

using json = nlohmann::ordered_json;

void judge_driver(const host_facts& host, const gpu_facts& gpu, diagnosis& diagnosis) {
  const auto driver = machine::parse_cuda_release(gpu.driver_cuda_version);
  const auto runtime = machine::parse_cuda_release(gpu.runtime_cuda_version);
  if (!driver || !runtime || *driver >= *runtime) return;
  diagnosis.findings.push_back(
      {.code = "driver_older_than_runtime",
       .severity = severity::may_slow,
       .gpu = gpu.id,
       .what =
           fmt::format("The driver knows CUDA {}, this program was built with {}: newer ways to "
                       "copy are missing, and kernels may be compiled at each start.",
                       gpu.driver_cuda_version, gpu.runtime_cuda_version),
       .evidence = {{"driver_cuda_version", gpu.driver_cuda_version},
                    {"runtime_cuda_version", gpu.runtime_cuda_version}},
       .fix = install_driver(host, "Install a driver that knows the runtime's CUDA")});
}

/// Why CUDA cannot use a GPU, by what the kernel shows of it.
struct obstacle {
  std::string what;
  remedy fix;
};

/// Drivers that keep a device for a virtual machine or for a program.
bool is_passed_on(const std::string& driver) {
  constexpr std::array names{"vfio", "pci-stub", "pciback", "uio"};
  return std::ranges::any_of(
      names, [&](const char* name) { return driver.find(name) != std::string::npos; });
}

obstacle held_by(const gpu_facts& gpu, const std::string& driver) {
  const auto what = fmt::format("the driver {} holds it", driver);
  if (is_passed_on(driver))
    return {what + ", for a virtual machine or a program",
            {"Use it there, or give it back to NVIDIA's driver",
             fmt::format("echo > /sys/bus/pci/devices/{0}/driver_override; "
                         "echo {0} > /sys/bus/pci/drivers/{1}/unbind && modprobe nvidia && "
                         "echo {0} > /sys/bus/pci/drivers_probe",
                         gpu.bus_id, driver),
             place::system}};
  return {what + ", not NVIDIA's",
          {"Keep that driver from loading, install NVIDIA's, and restart",
           fmt::format("echo blacklist {0} > /etc/modprobe.d/blacklist-{0}.conf && "
                       "update-initramfs -u || dracut --force",
                       driver),
           place::system}};
}

std::vector<obstacle> obstacles_of(const host_facts& host, const gpu_facts& gpu) {
  std::vector<obstacle> list;
  if (gpu.bound_driver && *gpu.bound_driver != "nvidia")
    list.push_back(held_by(gpu, *gpu.bound_driver));
  if (!gpu.unassigned_bars.empty())
    list.push_back(
        {fmt::format("there are no addresses for its memory regions (BARs) {}",
                     fmt::join(gpu.unassigned_bars, ", ")),
         {"Switch \"above 4G decoding\" on in the firmware's settings, or start the kernel with "
          "pci=realloc",
          fmt::format("dmesg | grep {}", gpu.bus_id), place::hardware, "what the kernel tried"}});
  if (!list.empty()) return list;
  const auto load = remedy{"Load NVIDIA's driver, or install one for this program's CUDA",
                           "modprobe nvidia && nvidia-smi", place::driver};
  const bool is_bound = gpu.bound_driver.has_value();
  const auto fix = !is_bound || host.platform.wsl || host.platform.jetson
                       ? load
                       : install_driver(host, "Install a driver for this program's CUDA");
  list.push_back({is_bound       ? "NVIDIA's driver holds it"
                  : gpu.in_sysfs ? "no driver holds it"
                                 : "the kernel does not show what holds it",
                  is_bound ? give_container(host, access::gpu, fix) : fix});
  return list;
}

void gpus(const facts& facts, diagnosis& diagnosis) {
  if (facts.gpus.empty()) {
    diagnosis.unknowns.push_back(
        {.code = "no_gpu",
         .what = facts.why_no_cuda
                     ? fmt::format("No GPU was found ({}): only the host was examined.",
                                   *facts.why_no_cuda)
                     : "No GPU was asked for: only the host was examined.",
         .evidence = {{"reason", machine::or_null(facts.why_no_cuda)}},
         .decides = true,
         .fix = facts.why_no_cuda
                    ? give_container(facts.host, access::gpu,
                                     {"Run this where the GPU is", "lspci -d 10de:"})
                    : remedy{"Leave out --device, or name GPUs", "bench_transfers doctor"}});
    return;
  }
  if (!facts.why_no_cuda) return;
  for (const auto& gpu : facts.gpus) {
    const auto obstacles = obstacles_of(facts.host, gpu);
    for (const auto& obstacle : obstacles)
      diagnosis.findings.push_back(
          {.code = "cuda_unusable",
           .severity = severity::slows,
           .gpu = gpu.id,
           .what = fmt::format("The GPU is on the PCI bus, but CUDA cannot use it ({}): {}.",
                               *facts.why_no_cuda, obstacle.what),
           .evidence = {{"reason", *facts.why_no_cuda},
                        {"driver_version", machine::or_null(facts.host.driver_version)},
                        {"bound_driver", machine::or_null(gpu.bound_driver)},
                        {"unassigned_bars", gpu.unassigned_bars}},
           .fix = obstacle.fix});
  }
}

void driver_version(const facts& facts, diagnosis& diagnosis) {
  const auto& host = facts.host;
  for (const auto& gpu : facts.gpus) judge_driver(host, gpu, diagnosis);
  if (!host.driver_version || !host.driver_library_version ||
      *host.driver_version == *host.driver_library_version)
    return;
  diagnosis.findings.push_back(
      {.code = "forward_compatibility",
       .severity = severity::may_slow,
       .what = fmt::format("CUDA's driver library is version {}, the kernel's module {}: forward "
                           "compatibility lacks what needs the newer module.",
                           *host.driver_library_version, *host.driver_version),
       .evidence = {{"library_version", *host.driver_library_version},
                    {"module_version", *host.driver_version}},
       .fix = install_driver(host,
                             "Take the compatibility package out of the library path, and "
                             "install a driver of the library's version")});
}

void confidential_computing(const facts& facts, diagnosis& diagnosis) {
  const auto add = [&](const std::string& gpu, const json& evidence) {
    diagnosis.findings.push_back(
        {.code = "confidential_computing",
         .severity = severity::slows,
         .gpu = gpu,
         .what = "Confidential computing is on: each byte is encrypted and copied through a buffer "
                 "outside of the protected memory.",
         .evidence = evidence,
         .fix = {
             "Switch it off where the data need no such protection: the GPU's mode, and a virtual "
             "machine without SEV-SNP or TDX",
             "nvidia_gpu_tools.py --gpu-bdf=ADDRESS --set-cc-mode=off "
             "--reset-after-cc-mode-switch",
             place::hardware}});
  };
  if (facts.host.confidential_guest) add("", {{"guest", *facts.host.confidential_guest}});
  for (const auto& gpu : facts.gpus)
    if (gpu.settings && gpu.settings->confidential.value_or(false))
      add(gpu.id, {{"confidential_computing", true}});
}

void virtual_machine(const facts& facts, diagnosis& diagnosis) {
  const auto& hypervisor = facts.host.process.hypervisor;
  if (!hypervisor) return;
  diagnosis.unknowns.push_back(
      {.code = "virtual_machine",
       .what =
           facts.host.platform.wsl
               ? "This is WSL: Windows' driver copies, and shows neither links, NUMA nodes nor the "
                 "firmware's settings. Windows limits how much memory programs can pin; others "
                 "report 0.5 to 1 GB (https://github.com/microsoft/WSL/issues/14078)."
               : fmt::format("This is a virtual machine ({}): what the hypervisor does is not "
                             "shown, as its IOMMU, the placement of memory and CPUs, and who "
                             "shares the link.",
                             *hypervisor),
       .evidence = {{"hypervisor", *hypervisor}, {"wsl", facts.host.platform.wsl}},
       .fix = facts.host.platform.wsl
                  ? remedy{"Measure what programs get here, with pinned memory and without",
                           "bench_transfers --strategies=copy"}
                  : remedy{"Run this there, too", "bench_transfers doctor", place::hardware}});
}

void hidden_files(const facts& facts, diagnosis& diagnosis) {
  const auto& host = facts.host;
  if (host.shows_pci && host.shows_nodes && host.shows_process) return;
  diagnosis.unknowns.push_back(
      {.code = "files_hidden",
       .what =
           "Parts of /sys or /proc are not shown: links, NUMA nodes, limits and settings may be "
           "anything.",
       .evidence = {{"pci_devices", host.shows_pci},
                    {"numa_nodes", host.shows_nodes},
                    {"process", host.shows_process},
                    {"container", machine::or_null(host.container)}},
       .fix = give_container(host, access::sysfs,
                             {"Mount /proc and /sys", "mount -t sysfs sysfs /sys"})});
}

const registration of_presence{topic::presence, {gpus}};
const registration of_encryption{topic::encryption, {confidential_computing}};
const registration of_platform{topic::platform, {driver_version, virtual_machine, hidden_files}};

}  // namespace
}  // namespace bench_transfers::doctor::checks
