#include "src/machine/pcie.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "src/common/number.hpp"
#include "src/common/text.hpp"
#include "src/machine/files.hpp"

namespace bench_transfers::machine {

namespace {

/// GT/s per lane of generations 1 to 6.
constexpr std::array<double, 6> transfer_rates{2.5, 5, 8, 16, 32, 64};

constexpr std::array<int, 7> widths{1, 2, 4, 8, 12, 16, 32};

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

bool exists(int generation, int width) {
  return generation >= 1 && generation <= static_cast<int>(transfer_rates.size()) &&
         std::find(widths.begin(), widths.end(), width) != widths.end();
}

/// GB/s on the wires in one direction before any coding is taken off.
double wire_gb_per_s(int generation, int width) {
  return transfer_rates[static_cast<std::size_t>(generation - 1)] * width / 8;
}

std::optional<unsigned> parse_hexadecimal(std::string_view digits) {
  return common::number_from<unsigned>(digits, 16);
}

/// Generation of "32.0 GT/s PCIe" or, from older kernels, "32 GT/s".
std::optional<int> read_generation(const std::filesystem::path& path) {
  const std::optional<std::string> line = read_line(path);
  const std::vector<std::string_view> parts = words(line ? *line : std::string_view{});
  if (parts.size() < 2 || parts[1] != "GT/s") {
    return std::nullopt;
  }
  const auto* const rate = std::ranges::find(transfer_rates, parse_real(parts[0]).value_or(0));
  return rate == transfer_rates.end()
             ? std::nullopt
             : std::optional(static_cast<int>(rate - transfer_rates.begin()) + 1);
}

/// Number of lanes; the kernel shows 0 or 255 when it does not know.
std::optional<int> read_width(const std::filesystem::path& path) {
  const std::optional<std::size_t> lanes = read_count(path);
  for (const int width : widths) {
    if (lanes == static_cast<std::size_t>(width)) {
      return width;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> normalised_bus_id(std::string_view pci_bus_id) {
  // Strict, because the answer becomes part of a path.
  auto parts = common::split(pci_bus_id, ':');
  if (parts.size() == 2) {
    parts.insert(parts.begin(), "0000");
  }
  if (parts.size() != 3 || parts[1].size() != 2 || parts[2].size() != 4 || parts[2][2] != '.') {
    return std::nullopt;
  }
  const auto domain = parse_hexadecimal(parts[0]);
  const auto bus = parse_hexadecimal(parts[1]);
  const auto device = parse_hexadecimal(parts[2].substr(0, 2));
  const auto function = parse_hexadecimal(parts[2].substr(3));
  if (!domain || !bus || !device || !function || *device > 31 || *function > 7) {
    return std::nullopt;
  }
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", *domain, *bus, *device, *function);
}

std::filesystem::path pci_device_folder(std::string_view pci_bus_id,
                                        const std::filesystem::path& root) {
  return root / "sys/bus/pci/devices" / normalised_bus_id(pci_bus_id).value_or("none");
}

std::optional<pcie_link> read_pcie_link(std::string_view pci_bus_id,
                                        const std::filesystem::path& root) {
  const auto device = pci_device_folder(pci_bus_id, root);
  const std::optional<int> generation = read_generation(device / "current_link_speed");
  const std::optional<int> width = read_width(device / "current_link_width");
  const std::optional<int> generation_max = read_generation(device / "max_link_speed");
  const std::optional<int> width_max = read_width(device / "max_link_width");
  if (!generation || !width || !generation_max || !width_max) {
    return std::nullopt;
  }
  return pcie_link{*generation, *width, *generation_max, *width_max};
}

std::optional<int> numa_node_of(std::string_view pci_bus_id, const std::filesystem::path& root) {
  // A negative number is no count, so "-1" gives nullopt by itself.
  const auto node = read_count(pci_device_folder(pci_bus_id, root) / "numa_node");
  if (!node || *node > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    return std::nullopt;
  }
  return static_cast<int>(*node);
}

double pcie_limit_gb_per_s(int generation, int width) {
  if (!exists(generation, width)) {
    return not_known;
  }
  const double wire = wire_gb_per_s(generation, width);
  if (generation <= 2) {
    return wire * 8 / 10;
  }
  return generation <= 5 ? wire * 128 / 130 : wire * 242 / 256;
}

std::pair<double, double> pcie_packet_limit_gb_per_s(int generation, int width, int payload_bytes) {
  if (!exists(generation, width) || payload_bytes <= 0) {
    return {not_known, not_known};
  }
  const bool flits = generation >= 6;
  const double rate =
      flits ? wire_gb_per_s(generation, width) * 236 / 256 : pcie_limit_gb_per_s(generation, width);
  const double payload = payload_bytes;
  const double beside_header = flits ? 0 : 8;
  return {rate * payload / (payload + 16 + beside_header),
          rate * payload / (payload + 12 + beside_header)};
}

std::pair<double, double> pcie_packet_limit_gb_per_s(const pcie_link& link) {
  return link.settings ? pcie_packet_limit_gb_per_s(link.generation, link.width,
                                                    link.settings->max_payload_bytes)
                       : pcie_packet_limit_gb_per_s(link.generation, link.width);
}

}  // namespace bench_transfers::machine
