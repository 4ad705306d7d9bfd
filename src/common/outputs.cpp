#include "src/common/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

#include "src/common/command_line.hpp"
#include "src/common/program.hpp"
#include "src/common/same_file.hpp"
#include "src/common/whole_file.hpp"

namespace bench_transfers::common {
namespace {

void require_file(const std::filesystem::path& output,
                  std::span<const std::filesystem::path> inputs) {
  for (const auto& input : inputs)
    if (is_same_file(output, input))
      throw usage_error(fmt::format("{} is an input: it would be overwritten", output.string()));
  try {
    require_writable(output);
  } catch (const write_error& error) {
    throw usage_error(error.what());
  }
}

}  // namespace

bool is_standard_output(const std::filesystem::path& output) {
  return output == standard_output || output == "/dev/stdout";
}

void require_outputs(std::initializer_list<std::filesystem::path> outputs,
                     std::span<const std::filesystem::path> inputs) {
  std::vector<std::filesystem::path> known;
  for (const auto& output : outputs) {
    if (output.empty()) continue;
    for (const auto& earlier : known)
      if (output == earlier || is_same_file(output, earlier) ||
          (is_standard_output(output) && is_standard_output(earlier)))
        throw usage_error(fmt::format("{} and {} are the same file, for two outputs",
                                      earlier.string(), output.string()));
    if (!is_standard_output(output)) require_file(output, inputs);
    known.push_back(output);
  }
}

bool has_standard_output(std::initializer_list<std::filesystem::path> outputs) {
  return std::ranges::any_of(outputs, is_standard_output);
}

void write_output(const std::filesystem::path& output, const std::string& text) {
  if (output.empty()) return;
  if (is_standard_output(output))
    print(text);
  else
    write_whole(output, text);
}

void print_beside(const std::filesystem::path& output, const std::string& text) {
  if (is_standard_output(output))
    std::fputs(text.c_str(), stderr);
  else
    print(text);
}

void write_outputs(const std::vector<output>& outputs, const std::function<std::string()>& shown) {
  std::exception_ptr failed;
  const output* printed = nullptr;
  for (const auto& written : outputs) {
    if (is_standard_output(written.file))
      printed = &written;
    else if (!written.file.empty())
      try {
        write_output(written.file, written.text());
      } catch (const write_error&) {
        if (!failed) failed = std::current_exception();
      }
  }
  print(printed == nullptr ? shown() : printed->text());
  if (failed) std::rethrow_exception(failed);
}

}  // namespace bench_transfers::common
