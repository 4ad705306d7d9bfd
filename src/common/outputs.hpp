#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

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

/// Prints what is said of an output: to standard error if the output goes to standard output.
void print_beside(const std::filesystem::path& output, const std::string& text);

/// A file, and what it gets if it is asked for: an empty path is none.
struct output {
  std::filesystem::path file;
  std::function<std::string()> text;
};

/// Writes all files, and then prints what goes to standard output: one of the outputs, otherwise
/// `shown`. In this order, because a reader of standard output that has seen enough (`| head`) ends
/// the program. A file that cannot be written keeps nothing from the others: the first error is
/// thrown at the end.
void write_outputs(const std::vector<output>& outputs, const std::function<std::string()>& shown);

}  // namespace bench_transfers::common
