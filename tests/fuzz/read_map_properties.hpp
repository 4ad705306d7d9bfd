#pragma once

#include <string>

/// Reads a map's text and throws std::logic_error when something does not hold that a map promises,
/// or that a refusal does. A refusal itself is right.
void check_read_map(const std::string& text);
