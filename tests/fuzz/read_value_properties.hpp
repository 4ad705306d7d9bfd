#pragma once

#include <string>

/// Reads a baseline's text and throws std::logic_error when something does not hold that a baseline
/// promises, or that a refusal does. A refusal itself is right.
void check_read_value(const std::string& input);
