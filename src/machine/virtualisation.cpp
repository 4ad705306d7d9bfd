#include <array>
#include <cstring>
#include <utility>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "src/machine/files.hpp"
#include "src/machine/machine.hpp"
#include "src/machine/sections.hpp"

namespace bench_transfers::machine {

namespace {

/// Signature that a hypervisor shows to its guest; nullopt on bare metal and on CPUs
/// other than x86-64. Documentation/virt/kvm/x86/cpuid.rst shows the convention all of them share.
std::optional<std::string> cpuid_hypervisor_signature() {
#if defined(__x86_64__)
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  // Without bit 31 of leaf 1's ECX a CPU answers leaf 0x40000000 with unrelated data.
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx >> 31U) == 0) {
    return std::nullopt;
  }
  __cpuid(0x40000000, eax, ebx, ecx, edx);
  const std::array<unsigned, 3> registers{ebx, ecx, edx};
  std::string signature(sizeof(registers), '\0');
  std::memcpy(signature.data(), registers.data(), signature.size());
  return signature;
#else
  return std::nullopt;
#endif
}

/// The firmware's name of the computer: DMI vendor and product.
std::optional<std::string> product(const std::filesystem::path& root) {
  const std::filesystem::path dmi = root / "sys/class/dmi/id";
  std::optional<std::string> vendor = read_line(dmi / "sys_vendor");
  std::optional<std::string> name = read_line(dmi / "product_name");
  if (vendor && name) {
    return *vendor + " " + *name;
  }
  return vendor ? vendor : name;
}

}  // namespace

std::string hypervisor_name(std::string_view signature) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 11> names{{
      {"KVMKVMKVM", "KVM"},
      {"Linux KVM Hv", "KVM"},  // KVM that also offers Hyper-V's interface
      {"Microsoft Hv", "Hyper-V"},
      {"VMwareVMware", "VMware"},
      {"XenVMMXenVMM", "Xen"},
      {"TCGTCGTCGTCG", "QEMU without KVM"},
      {"VBoxVBoxVBox", "VirtualBox"},
      {"bhyve bhyve ", "bhyve"},
      {"ACRNACRNACRN", "ACRN"},
      {" lrpepyh  vr", "Parallels"},
      {" prl hyperv ", "Parallels"},
  }};
  const std::string_view text = signature.substr(0, signature.find('\0'));
  for (const auto& [known, name] : names) {
    if (text == known) {
      return std::string(name);
    }
  }
  return text.empty() ? "unknown" : std::string(text);
}

std::optional<std::string> container_kind(const std::filesystem::path& root) {
  // Files that the engines leave in a container.
  const std::array<std::pair<std::string_view, std::string_view>, 4> marks{{
      {".dockerenv", "docker"},
      {"run/.containerenv", "podman"},
      {".singularity.d", "apptainer"},
      {"run/secrets/kubernetes.io", "kubernetes"},
  }};
  for (const auto& [mark, kind] : marks) {
    if (present(root / mark)) {
      return std::string(kind);
    }
  }
  // Container managers write their name here: https://systemd.io/CONTAINER_INTERFACE
  if (std::optional<std::string> kind = read_line(root / "run/systemd/container")) {
    return kind;
  }
  // Cgroup names, visible unless the container has a cgroup namespace of its own. The "/" or "-"
  // after "docker" excludes the daemon's own docker.service.
  const std::array<std::pair<std::string_view, std::string_view>, 5> names{{
      {"kubepods", "kubernetes"},
      {"/docker/", "docker"},
      {"/docker-", "docker"},
      {"/libpod-", "podman"},
      {"/lxc", "lxc"},
  }};
  for (const std::string& line :
       read_lines(root / "proc/self/cgroup").value_or(std::vector<std::string>{})) {
    for (const auto& [name, kind] : names) {
      if (line.find(name) != std::string::npos) {
        return std::string(kind);
      }
    }
  }
  const std::optional<std::string> release = read_line(root / "proc/sys/kernel/osrelease");
  if (release && release->find("microsoft") != std::string::npos) {
    return "wsl";
  }
  return std::nullopt;
}

std::optional<std::string> hypervisor(const std::filesystem::path& root) {
  if (const std::optional<std::string> signature = cpuid_hypervisor_signature()) {
    return hypervisor_name(*signature);
  }
  // Only Xen fills this file (Documentation/ABI/stable/sysfs-hypervisor-xen).
  std::optional<std::string> type = read_line(root / "sys/hypervisor/type");
  return type == "xen" ? std::optional<std::string>("Xen") : type;
}

nlohmann::ordered_json describe_virtualisation(const std::filesystem::path& root) {
  return {{"hypervisor", or_null(hypervisor(root))}, {"product", or_null(product(root))}};
}

}  // namespace bench_transfers::machine
