#include "src/machine/pci_device.hpp"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

#include "src/machine/files.hpp"
#include "src/machine/pcie.hpp"

namespace bench_transfers::machine {
namespace {

namespace fs = std::filesystem;

bool is_nvidia_gpu(const fs::path& device) {
  // Base class 0x03: display controllers, of which 0x0302 are those without a display.
  const auto device_class = read_line(device / "class");
  return read_line(device / "vendor") == "0x10de" && device_class &&
         device_class->starts_with("0x03");
}

/// A device's configuration space, as far as the kernel shows it.
class configuration {
 public:
  explicit configuration(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(stream), {});
  }

  [[nodiscard]] bool shows(std::size_t offset, std::size_t count) const {
    return offset + count <= bytes_.size();
  }

  /// Where a capability begins; 0 if there is none, or it is not shown.
  [[nodiscard]] std::size_t find_first_part(std::uint32_t capability) const {
    constexpr std::size_t status = 0x06, pointer = 0x34;
    constexpr std::uint32_t has_capabilities = 0x10;
    if ((read(status, 2) & has_capabilities) == 0) return 0;
    constexpr int most_capabilities = 48;  // of 4 bytes or more: a chain may be a ring
    auto offset = read(pointer, 1) & ~3U;
    for (int i = 0; i < most_capabilities && offset != 0; ++i) {
      if (read(offset, 1) == capability) return offset;
      offset = read(offset + 1, 1) & ~3U;
    }
    return 0;
  }

  [[nodiscard]] bool is_extended() const { return bytes_.size() > first_extended; }

  /// Little-endian; 0 beyond its end.
  [[nodiscard]] std::uint32_t read(std::size_t offset, std::size_t count) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count && offset + i < bytes_.size(); ++i)
      value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes_[offset + i])) << 8 * i;
    return value;
  }

  /// Where an extended capability begins; 0 if there is none.
  [[nodiscard]] std::size_t find(std::uint32_t capability) const {
    constexpr int most_capabilities = 480;  // of 8 bytes or more: a chain may be a ring
    std::size_t offset = first_extended;
    for (int i = 0; i < most_capabilities && offset >= first_extended; ++i) {
      const auto header = read(offset, 4);
      if ((header & 0xffffU) == capability) return offset;
      offset = header >> 20U;
    }
    return 0;
  }

 private:
  static constexpr std::size_t first_extended = 0x100;

  std::string bytes_;
};

}  // namespace

std::vector<std::string> nvidia_gpus(const fs::path& root) {
  std::vector<std::string> addresses;
  const auto devices = root / "sys/bus/pci/devices";
  for (auto& name : names_in(devices).value_or(std::vector<std::string>{}))
    if (is_nvidia_gpu(devices / name)) addresses.push_back(std::move(name));
  return addresses;
}

std::optional<std::string> iommu_domain_of(std::string_view pci_bus_id, const fs::path& root) {
  return read_line(pci_device_folder(pci_bus_id, root) / "iommu_group/type");
}

std::optional<bool> redirects_peers(std::string_view pci_bus_id, const fs::path& root) {
  constexpr std::uint32_t acs = 0x000d;
  constexpr std::size_t control = 6;
  constexpr std::uint32_t redirect = 0b1100;  // requests, completions
  const configuration space(pci_device_folder(pci_bus_id, root) / "config");
  if (!space.is_extended()) return std::nullopt;
  const auto offset = space.find(acs);
  return offset != 0 && (space.read(offset + control, 2) & redirect) != 0;
}

std::optional<pcie_settings> pcie_settings_of(std::string_view pci_bus_id, const fs::path& root) {
  constexpr std::uint32_t pci_express = 0x10;
  constexpr std::size_t device_control = 0x08, device_control_2 = 0x28;
  const configuration space(pci_device_folder(pci_bus_id, root) / "config");
  const auto offset = space.find_first_part(pci_express);
  if (offset == 0 || !space.shows(offset + device_control_2, 2)) return std::nullopt;
  const auto control = space.read(offset + device_control, 2);
  const auto has = [](std::uint32_t bits, unsigned bit) { return (bits >> bit & 1U) != 0; };
  const auto bytes = [&](unsigned first_bit) { return 128 << (control >> first_bit & 7U); };
  const int tag_bits = has(space.read(offset + device_control_2, 2), 12) ? 10
                       : has(control, 8)                                 ? 8
                                                                         : 5;
  return pcie_settings{bytes(5), bytes(12), has(control, 4), tag_bits};
}

nlohmann::ordered_json to_json(const pcie_settings& settings) {
  return {{"max_payload_bytes", settings.max_payload_bytes},
          {"max_read_request_bytes", settings.max_read_request_bytes},
          {"relaxed_ordering", settings.relaxed_ordering},
          {"tag_bits", settings.tag_bits}};
}

std::optional<std::string> driver_of(std::string_view pci_bus_id, const fs::path& root) {
  std::error_code error;
  const auto driver = fs::read_symlink(pci_device_folder(pci_bus_id, root) / "driver", error);
  if (error) return std::nullopt;
  return driver.filename().string();
}

std::vector<int> unassigned_bars(std::string_view pci_bus_id, const fs::path& root) {
  constexpr int bars = 6;  // the next line is the ROM, which nobody needs
  constexpr std::uint64_t is_memory = 0x200, is_unset = 0x20000000;  // include/linux/ioport.h
  std::vector<int> list;
  const auto lines = read_lines(pci_device_folder(pci_bus_id, root) / "resource");
  if (!lines) return list;
  for (int bar = 0; bar < bars && static_cast<std::size_t>(bar) < lines->size(); ++bar) {
    std::istringstream fields((*lines)[static_cast<std::size_t>(bar)]);
    std::uint64_t begin = 0, end = 0, flags = 0;
    if (!(fields >> std::hex >> begin >> end >> flags)) continue;
    if ((flags & is_memory) != 0 && (begin == 0 || (flags & is_unset) != 0)) list.push_back(bar);
  }
  return list;
}

power_saving power_saving_of(std::string_view pci_bus_id, const fs::path& root) {
  power_saving found;
  const auto device = pci_device_folder(pci_bus_id, root);
  found.runtime_control = read_line(device / "power/control");
  for (const auto* state : {"l0s", "l1", "l1_1", "l1_2"})
    if (read_line(device / "link" / (std::string(state) + "_aspm")) == "1")
      found.aspm.emplace_back(state);
  return found;
}

std::optional<std::string> aspm_policy(const fs::path& root) {
  return read_choice(root / "sys/module/pcie_aspm/parameters/policy");
}

}  // namespace bench_transfers::machine
