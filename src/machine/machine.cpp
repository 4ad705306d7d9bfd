#include "src/machine/machine.hpp"

#include <sys/utsname.h>

#include <string_view>

#include "src/machine/current_numa_node.hpp"
#include "src/machine/files.hpp"
#include "src/machine/numa.hpp"
#include "src/machine/sections.hpp"

namespace bench_transfers::machine {

namespace {

std::optional<utsname> kernel_names() {
  utsname names{};
  return uname(&names) == 0 ? std::optional(names) : std::nullopt;
}

/// The kernel and its start, without uname's host name. The boot id is random for each start
/// (random(4), boot_id).
nlohmann::ordered_json describe_kernel(const std::filesystem::path& root) {
  const std::optional<utsname> names = kernel_names();
  const auto text = [&](const char* value) { return or_null(std::optional<std::string>(value)); };
  return {{"system", names ? text(names->sysname) : nullptr},
          {"release", names ? text(names->release) : nullptr},
          {"architecture", or_null(machine_architecture())},
          {"boot_id", or_null(read_line(root / "proc/sys/kernel/random/boot_id"))}};
}

/// Name and version of the distribution, os-release(5).
std::optional<std::string> operating_system(const std::filesystem::path& root) {
  for (const std::string_view file : {"etc/os-release", "usr/lib/os-release"}) {
    if (const auto field = read_field(root / file, "PRETTY_NAME", '=')) {
      std::string_view name = *field;
      const bool quoted = name.size() >= 2 && name.front() == name.back() &&
                          (name.front() == '"' || name.front() == '\'');
      if (quoted) {
        name = trimmed(name.substr(1, name.size() - 2));
      }
      if (!name.empty()) {
        return std::string(name);
      }
    }
  }
  return std::nullopt;
}

/// Waiting and running tasks averaged over a minute, proc_loadavg(5); of the whole computer, even
/// in a container.
std::optional<double> load_average_1min(const std::filesystem::path& root) {
  const std::optional<std::string> line = read_line(root / "proc/loadavg");
  const std::optional<double> load = line ? parse_real(words(*line).front()) : std::nullopt;
  return load && *load >= 0 ? load : std::nullopt;
}

/// "535.129.03": digits and at least one point, a digit first.
bool looks_like_version(std::string_view word) {
  return word.front() >= '0' && word.front() <= '9' && word.find('.') != std::string_view::npos &&
         word.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace

std::optional<std::string> machine_architecture() {
  const std::optional<utsname> names = kernel_names();
  return names ? std::optional<std::string>(names->machine) : std::nullopt;
}

nlohmann::ordered_json describe_process(const std::filesystem::path& root) {
  return {
      {"numa_node", or_null(current_numa_node())},
      {"numa_policy_nodes_allowed",
       or_null(read_field(root / "proc/self/status", "Mems_allowed_list", ':'))},
      {"container", or_null(container_kind(root))},
  };
}

nlohmann::ordered_json describe_iommu(const std::filesystem::path& root) {
  // Documentation/ABI/testing/sysfs-class-iommu and sysfs-kernel-iommu_groups.
  const auto units = names_in(root / "sys/class/iommu");
  const auto groups = names_in(root / "sys/kernel/iommu_groups");
  nlohmann::ordered_json enabled = nullptr;
  if (units || groups) {
    enabled = (units && !units->empty()) || (groups && !groups->empty());
  }

  nlohmann::ordered_json parameters = nullptr;
  if (const std::optional<std::string> line = read_line(root / "proc/cmdline")) {
    parameters = nlohmann::ordered_json::array();
    for (const std::string_view word : words(*line)) {
      if (word == "--") {
        break;  // What follows is for init, not for the kernel.
      }
      // Only the name counts: a value that merely mentions the IOMMU may be private.
      const std::string_view name = word.substr(0, word.find('='));
      if (name.find("iommu") != std::string_view::npos ||
          name.find("swiotlb") != std::string_view::npos) {
        parameters.push_back(or_null(std::optional(std::string(word))));
      }
    }
  }
  return {{"enabled", enabled}, {"kernel_parameters", parameters}};
}

nlohmann::ordered_json describe(const std::filesystem::path& root) {
  return {
      {"cpu", describe_cpu(root)},
      {"memory", describe_memory(root)},
      {"numa", describe_numa(root)},
      {"process", describe_process(root)},
      {"virtualisation", describe_virtualisation(root)},
      {"iommu", describe_iommu(root)},
      {"kernel", describe_kernel(root)},
      {"os", or_null(operating_system(root))},
      {"load_average_1min", or_null(load_average_1min(root))},
  };
}

std::optional<std::string> nvidia_driver_version(const std::filesystem::path& root) {
  if (std::optional<std::string> version = read_line(root / "sys/module/nvidia/version")) {
    return version;
  }
  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 …"
  const auto line = read_field(root / "proc/driver/nvidia/version", "NVRM version", ':');
  for (const std::string_view word : words(line ? *line : std::string_view{})) {
    if (looks_like_version(word)) {
      return std::string(word);
    }
  }
  return std::nullopt;
}

std::string host_name() {
  const auto names = kernel_names();
  return names ? names->nodename : std::string();
}

}  // namespace bench_transfers::machine
