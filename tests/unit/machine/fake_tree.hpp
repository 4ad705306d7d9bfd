#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tests/basics.hpp"
#include "tests/unit/common/temporary_folder.hpp"

/// An empty directory that replaces "/" and is removed after the test.
class fake_tree : public testing::Test {
 protected:
  void write(const std::string& path, std::string_view content) const {
    std::filesystem::create_directories((root / path).parent_path());
    std::ofstream(root / path) << content;
  }

  void make_directory(const std::string& path) const {
    std::filesystem::create_directories(root / path);
  }

  /// Writes the link of a device whose maximum is generation 5 x16 by default.
  void write_link(const std::string& device, std::string_view speed, std::string_view width,
                  std::string_view speed_max = "32.0 GT/s PCIe\n",
                  std::string_view width_max = "16\n") const {
    const std::string base = "sys/bus/pci/devices/" + device + "/";
    write(base + "current_link_speed", speed);
    write(base + "current_link_width", width);
    write(base + "max_link_speed", speed_max);
    write(base + "max_link_width", width_max);
  }

  void write_meminfo(std::string_view available = "8388608 kB") const {
    write("proc/meminfo",
          "MemTotal:       16777216 kB\nMemFree:         1048576 kB\n"
          "MemAvailable:    " +
              std::string(available) +
              "\nSwapTotal:       2097152 kB\n"
              "HugePages_Total:       0\n");
  }

  bench_transfers::common::temporary_folder own;
  const std::filesystem::path& root = own.path();
};
