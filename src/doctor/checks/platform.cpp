#include <fmt/format.h>

#include <algorithm>

#include "src/doctor/checks/checks.hpp"
#include "src/machine/files.hpp"

namespace bench_transfers::doctor::checks {
namespace {

using json = nlohmann::ordered_json;

/// "12.9" as (12, 9); nullopt for another text.
std::optional<std::pair<std::size_t, std::size_t>> version_of(const std::string& text) {
  const auto point = text.find('.');
  if (point == std::string::npos) return std::nullopt;
  const auto major = machine::parse_count(std::string_view(text).substr(0, point));
  const auto minor = machine::parse_count(std::string_view(text).substr(point + 1));
  if (!major || !minor) return std::nullopt;
  return std::pair(*major, *minor);
}

void judge_driver(const gpu_facts& gpu, diagnosis& diagnosis) {
  const auto driver = version_of(gpu.driver_cuda_version);
  const auto runtime = version_of(gpu.runtime_cuda_version);
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
       .cost = std::nullopt,
       .fix = {"Install a driver that knows the runtime's CUDA", "apt-get install cuda-drivers"}});
}

}  // namespace

void gpus(const facts& facts, diagnosis& diagnosis) {
  if (facts.gpus.empty()) {
    diagnosis.unknowns.push_back(
        {.code = "no_gpu",
         .gpu = "",
         .what = facts.why_no_cuda
                     ? fmt::format("No GPU was found ({}): only the host was examined.",
                                   *facts.why_no_cuda)
                     : "No GPU was asked for: only the host was examined.",
         .evidence = {{"reason", machine::or_null(facts.why_no_cuda)}},
         .decides = true,
         .fix = {"Run this where the GPU is; in a container, with access to it",
                 "docker run --gpus all IMAGE"}});
    return;
  }
  if (!facts.why_no_cuda) return;
  for (const auto& gpu : facts.gpus)
    diagnosis.findings.push_back(
        {.code = "cuda_unusable",
         .severity = severity::slows,
         .gpu = gpu.id,
         .what = fmt::format("The GPU is on the PCI bus, but CUDA cannot use it: {}.",
                             *facts.why_no_cuda),
         .evidence = {{"reason", *facts.why_no_cuda},
                      {"driver_version", machine::or_null(facts.host.driver_version)}},
         .cost = std::nullopt,
         .fix = {"Install or load a driver for this program's CUDA; in a container, give it access",
                 "modprobe nvidia && nvidia-smi"}});
}

void driver_version(const facts& facts, diagnosis& diagnosis) {
  for (const auto& gpu : facts.gpus) judge_driver(gpu, diagnosis);
  const auto& host = facts.host;
  if (!host.driver_version || !host.driver_library_version ||
      *host.driver_version == *host.driver_library_version)
    return;
  diagnosis.findings.push_back(
      {.code = "forward_compatibility",
       .severity = severity::may_slow,
       .gpu = "",
       .what = fmt::format("CUDA's driver library is version {}, the kernel's module {}: forward "
                           "compatibility lacks what needs the newer module.",
                           *host.driver_library_version, *host.driver_version),
       .evidence = {{"library_version", *host.driver_library_version},
                    {"module_version", *host.driver_version}},
       .cost = std::nullopt,
       .fix = {
           "Install the driver of the library's version, and take the compatibility package out "
           "of the library path",
           "apt-get install cuda-drivers"}});
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
         .cost = std::nullopt,
         .fix = {
             "Switch it off where the data need no such protection: the GPU's mode, and a virtual "
             "machine without SEV-SNP or TDX",
             "nvidia_gpu_tools.py --gpu-bdf=ADDRESS --set-cc-mode=off "
             "--reset-after-cc-mode-switch"}});
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
       .gpu = "",
       .what =
           fmt::format("This is a virtual machine ({}): what the hypervisor does is not shown, "
                       "as its IOMMU, the placement of memory and CPUs, and who shares the link.",
                       *hypervisor),
       .evidence = {{"hypervisor", *hypervisor}},
       .decides = false,
       .fix = {"Run this on the host of the virtual machine, too", "bench_transfers doctor"}});
}

void hidden_files(const facts& facts, diagnosis& diagnosis) {
  const auto& host = facts.host;
  if (host.shows_pci && host.shows_nodes && host.shows_process) return;
  diagnosis.unknowns.push_back(
      {.code = "files_hidden",
       .gpu = "",
       .what =
           "Parts of /sys or /proc are not shown: links, NUMA nodes, limits and settings may be "
           "anything.",
       .evidence = {{"pci_devices", host.shows_pci},
                    {"numa_nodes", host.shows_nodes},
                    {"process", host.shows_process},
                    {"container", machine::or_null(host.container)}},
       .decides = false,
       .fix = {"Show both to the container, or run this on the host",
               "docker run -v /sys:/sys:ro IMAGE"}});
}

}  // namespace bench_transfers::doctor::checks
