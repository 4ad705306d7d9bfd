#pragma once

#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>

namespace bench_transfers::common {

/// The name that stands for standard output, as /dev/stdout does.
inline constexpr const char* standard_output = "-";

/// Whether it is that, or its file: "/dev/stdout".
bool is_standard_output(const std::filesystem::path& output);

/// Throws usage_error unless every output (an empty path is none) can be written and is neither an
/// input nor another output, by whatever name. Whatever is wrong is reported before work begins.
void require_outputs(std::initializer_list<std::filesystem::path> outputs,
                     std::span<const std::filesystem::path> inputs);

/// Whether one of them is standard output: nothing else is printed there then.
bool has_standard_output(std::initializer_list<std::filesystem::path> outputs);

/// Writes the text to the file, or prints it; an empty path is none. Throws write_error or
/// usage_error.
void write_output(const std::filesystem::path& output, const std::string& text);

}  // namespace bench_transfers::common
