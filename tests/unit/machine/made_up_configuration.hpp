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
