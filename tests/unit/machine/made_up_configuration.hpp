#pragma once

#include <string>

/// The configuration space of a port whose ACS control register has these bits. ACS is the second
/// extended capability, as usual: the first at 0x100, ACS at 0x140.
inline std::string made_up_configuration(unsigned char acs_control) {
  std::string bytes(4096, '\0');
  bytes[0x100] = '\x01';  // Advanced Error Reporting, version 1, the next at 0x140
  bytes[0x102] = '\x01';
  bytes[0x103] = '\x14';
  bytes[0x140] = '\x0d';
  bytes[0x142] = '\x01';
  bytes[0x146] = static_cast<char>(acs_control);
  return bytes;
}

/// The same with a PCI Express capability at 0x78, behind another one, whose control registers have
/// these bits.
inline std::string made_up_pcie_configuration(unsigned control, unsigned control_2) {
  std::string bytes(4096, '\0');
  bytes[0x06] = '\x10';  // there is a list
  bytes[0x34] = '\x60';
  bytes[0x60] = '\x01';  // power management
  bytes[0x61] = '\x78';
  bytes[0x78] = '\x10';
  const auto put = [&](std::size_t at, unsigned value) {
    bytes[at] = static_cast<char>(value & 0xffU);
    bytes[at + 1] = static_cast<char>(value >> 8U);
  };
  put(0x78 + 0x08, control);
  put(0x78 + 0x28, control_2);
  return bytes;
}
