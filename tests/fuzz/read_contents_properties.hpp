#pragma once

#include <string>

/// Gives a file's bytes to the reader of result files. Throws std::logic_error where what it finds,
/// or the way in which it refuses, is not as promised.
void check_read_contents(std::string bytes);
