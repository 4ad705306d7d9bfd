#include "src/doctor/checks/remedies.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>

namespace bench_transfers::doctor {
namespace {

/// "On the host: raise the limit", but "On the host: NPS1 …".
remedy at(const std::string& where, remedy fix) {
  auto& text = fix.text;
  const auto is_upper = [&](std::size_t i) {
    return i < text.size() && std::isupper(static_cast<unsigned char>(text[i])) != 0;
  };
  if (is_upper(0) && !is_upper(1))
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  text = where + ": " + text;
  return fix;
}

/// One of "debian", "ubuntu", "rhel", "suse". In a container the image's is not the host's.
bool is_of(const host_facts& host, const std::string& distribution) {
  const auto& ids = host.platform.distribution;
  return !host.container && ids.find(" " + distribution + " ") != std::string::npos;
}

bool is_redhat(const host_facts& host) {
  return std::ranges::any_of(std::initializer_list<const char*>{"rhel", "fedora", "centos"},
                             [&](const char* name) { return is_of(host, name); });
}

}  // namespace

remedy possible_here(const host_facts& host, remedy fix) {
  const bool in_windows =
      host.platform.wsl && fix.place != place::system && fix.place != place::process;
  if (in_windows) fix.command.clear();  // it is one of Linux
  if (!fix.command.empty() && !fix.shows.empty()) fix.text += ". The command shows " + fix.shows;
  if (fix.place == place::process) return fix;
  if (in_windows) return at("In Windows, outside of WSL", std::move(fix));
  if (host.process.hypervisor && fix.place == place::hardware)
    return at("On the virtual machine's host", std::move(fix));
  if (host.container && host.container != "wsl")
    return at("On the container's host", std::move(fix));
  return fix;
}

remedy install_driver(const host_facts& host, const std::string& why) {
  const auto with = [&](const std::string& command) { return remedy{why, command, place::driver}; };
  if (host.platform.wsl) return {why + "; Windows' driver is WSL's, too", "", place::driver};
  if (host.platform.jetson) {
    if (host.container) return {why + " (JetPack)", "cat /etc/nv_tegra_release", place::driver};
    return {why + ": it is a part of JetPack", "apt-get install nvidia-jetpack", place::driver};
  }
  if (is_of(host, "ubuntu")) return with("ubuntu-drivers install");
  if (is_of(host, "debian")) return with("apt-get install nvidia-driver");
  if (is_redhat(host))
    return {why + ", from NVIDIA's repository", "dnf install cuda-drivers", place::driver};
  if (is_of(host, "suse"))
    return {why + ", from NVIDIA's repository", "zypper install cuda-drivers", place::driver};
  return {why, "cat /proc/driver/nvidia/version", place::driver, "the driver's version"};
}

remedy kernel_argument(const host_facts& host, const std::string& why,
                       const std::string& argument) {
  const auto text =
      fmt::format("{}: add {} to the kernel's command line and restart", why, argument);
  if (is_of(host, "debian") || is_of(host, "ubuntu"))
    return {text,
            fmt::format("sed -i 's/^GRUB_CMDLINE_LINUX=\"/&{} /' /etc/default/grub && update-grub",
                        argument),
            place::system};
  if (is_redhat(host))
    return {text, fmt::format("grubby --update-kernel=ALL --args={}", argument), place::system};
  return {text, "cat /proc/cmdline", place::system, "it"};
}

remedy give_container(const host_facts& host, access access, const remedy& elsewhere) {
  using by_access = std::array<const char*, 3>;
  constexpr by_access texts{"Give the container the GPU",
                            "Show NVIDIA's management library (utility) to the container",
                            "Show /sys and /proc to the container, or run this on its host"};
  static const std::map<std::string_view, by_access> commands{
      {"apptainer",
       {"apptainer exec --nv IMAGE PROGRAM", "apptainer exec --nv IMAGE PROGRAM",
        "apptainer exec --bind /sys IMAGE PROGRAM"}},
      {"docker",
       {"docker run --gpus all IMAGE",
        "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility IMAGE",
        "docker run -v /sys:/sys:ro IMAGE"}},
      {"kubernetes",
       {"kubectl set resources deployment/NAME --limits=nvidia.com/gpu=1",
        "kubectl set env deployment/NAME NVIDIA_DRIVER_CAPABILITIES=compute,utility",
        "kubectl explain pod.spec.volumes.hostPath"}},
      {"podman",
       {"podman run --device nvidia.com/gpu=all IMAGE",
        "podman run --device nvidia.com/gpu=all IMAGE", "podman run -v /sys:/sys:ro IMAGE"}}};
  const auto kind = host.container.value_or("wsl");
  if (kind == "wsl") return elsewhere;
  const auto index = static_cast<std::size_t>(access);
  const auto known = commands.find(kind);
  return {texts.at(index),
          known == commands.end() ? "cat /proc/self/mountinfo" : known->second.at(index)};
}

std::string show_link(const gpu_facts& gpu, const topology::path_link& link) {
  if (!gpu.in_sysfs)
    return fmt::format(
        "nvidia-smi -i {} --format=csv --query-gpu=pcie.link.gen.current,pcie.link.gen.max,"
        "pcie.link.width.current,pcie.link.width.max",
        gpu.bus_id);
  return fmt::format("lspci -vv -s {} | grep -E 'LnkCap|LnkSta|LnkCtl2'",
                     link.upper.empty() ? link.lower : link.upper);
}

bool is_soldered(const host_facts& host, const gpu_facts& gpu) {
  return host.platform.laptop || gpu.name.find("Laptop") != std::string::npos ||
         gpu.name.find("Max-Q") != std::string::npos ||
         gpu.name.find("Mobile") != std::string::npos;
}

std::vector<std::string> power_saving_of(const host_facts& host, const gpu_facts& gpu) {
  std::vector<std::string> reasons;
  if (!gpu.on_pcie) return reasons;
  const auto add = [&](const std::string& address, const machine::power_saving& power) {
    if (!power.aspm.empty())
      reasons.push_back(
          fmt::format("the link of {} may sleep (ASPM {})", address, fmt::join(power.aspm, ", ")));
  };
  for (const auto& port : gpu.ports) add(port.address, port.power);
  add(gpu.bus_id, gpu.power);
  if (host.aspm_policy && host.aspm_policy->starts_with("powers"))
    reasons.push_back(fmt::format("the kernel's policy of ASPM is {}", *host.aspm_policy));
  if (gpu.power.runtime_control == "auto")
    reasons.push_back("the kernel may suspend the GPU (power/control is auto)");
  return reasons;
}

remedy switch_off_power_saving(const gpu_facts& gpu) {
  std::vector<std::string> commands;
  const auto write = [&](const std::string& address, const char* value, const std::string& file) {
    commands.push_back(fmt::format("echo {} > /sys/bus/pci/devices/{}/{}", value, address, file));
  };
  if (gpu.power.runtime_control == "auto") write(gpu.bus_id, "on", "power/control");
  const auto end_sleep = [&](const std::string& address, const machine::power_saving& power) {
    for (const auto& state : power.aspm) write(address, "0", "link/" + state + "_aspm");
  };
  for (const auto& port : gpu.ports) end_sleep(port.address, port.power);
  end_sleep(gpu.bus_id, gpu.power);
  if (commands.empty())
    commands.emplace_back("echo performance > /sys/module/pcie_aspm/parameters/policy");
  return {
      "Switch the power saving of the link and the GPU off; it costs power while nothing is "
      "copied",
      fmt::format("{}", fmt::join(commands, " && ")), place::system};
}

}  // namespace bench_transfers::doctor
