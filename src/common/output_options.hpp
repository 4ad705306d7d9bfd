#pragma once

#include <CLI/App.hpp>
#include <filesystem>

namespace bench_transfers::common {

// Options that write a command's answer. They have the same names and words in all programs.

inline void add_output_option(CLI::App& command, const char* name, std::filesystem::path& output,
                              const char* description) {
  command.add_option(name, output, description)->type_name("FILE");
}
inline void add_json(CLI::App& command, std::filesystem::path& output) {
  add_output_option(command, "--json", output, "write the answer for programs; - prints it alone");
}
inline void add_markdown(CLI::App& command, std::filesystem::path& output) {
  add_output_option(command, "--markdown", output, "write it for a comment");
}
inline void add_junit(CLI::App& command, std::filesystem::path& output) {
  add_output_option(command, "--junit", output, "write it as test cases (JUnit XML)");
}
inline void add_openmetrics(CLI::App& command, std::filesystem::path& output) {
  add_output_option(command, "--openmetrics", output, "write it for Prometheus");
}

}  // namespace bench_transfers::common
