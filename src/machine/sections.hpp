#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

// The parts of describe(), one per object in the result. Internal to this library.

namespace bench_transfers::machine {

nlohmann::ordered_json describe_cpu(const std::filesystem::path& root);
nlohmann::ordered_json describe_memory(const std::filesystem::path& root);
nlohmann::ordered_json describe_process(const std::filesystem::path& root);
nlohmann::ordered_json describe_virtualisation(const std::filesystem::path& root);
nlohmann::ordered_json describe_iommu(const std::filesystem::path& root);

/// Name of a hypervisor from the 12 bytes of CPUID leaf 0x40000000, padded with NUL; a signature
/// that is not known is returned as it is, an empty one as "unknown".
std::string hypervisor_name(std::string_view signature);

/// "docker", "podman", … if this process is known to run in a container.
std::optional<std::string> container_kind(const std::filesystem::path& root);

/// Machine type from uname(2), such as "x86_64" or "aarch64".
std::optional<std::string> machine_architecture();

}  // namespace bench_transfers::machine
