#include "src/claims/file_claim.hpp"

#include <fmt/format.h>

#include <utility>

#include "src/claims/shared_file.hpp"
#include "src/common/command_line.hpp"
#include "src/common/outputs.hpp"
#include "src/common/printable.hpp"

namespace bench_transfers::claims {
namespace {

std::string name_of(const other_writer& other) {
  if (other.is_of_another_container) return "a process of another container";
  return other.process ? fmt::format("process {}", *other.process) : "another process";
}

/// Throws cannot_share; usage_error if another process writes the file.
std::unique_ptr<only_writer> writer_alone(const std::filesystem::path& file) {
  auto writer = std::make_unique<only_writer>(file);
  if (const auto& other = writer->other())
    throw common::usage_error(
        fmt::format("{} writes {}", name_of(*other), common::printable(file.string())));
  return writer;
}

}  // namespace

file_claim::file_claim(std::unique_ptr<only_writer> writer) : writer_(std::move(writer)) {}

file_claim::file_claim(const std::filesystem::path& file) {
  if (file.empty()) return;
  try {
    writer_ = writer_alone(file);
  } catch (const cannot_share&) {
  }
}

file_claim file_claim::of_alone(const std::filesystem::path& file) {
  try {
    return file_claim(writer_alone(file));
  } catch (const cannot_share& error) {
    throw common::usage_error(fmt::format("cannot know that nobody else writes {}: {}",
                                          common::printable(file.string()), error.what()));
  }
}

std::optional<std::string> file_claim::why_not_write() const {
  if (!writer_ || !writer_->is_passed_over()) return std::nullopt;
  return "while this process was stopped, another one has begun to write it";
}

std::vector<file_claim> claim_outputs(std::initializer_list<std::filesystem::path> outputs,
                                      std::span<const std::filesystem::path> inputs) {
  common::require_outputs(outputs, inputs);
  std::vector<file_claim> claims;
  for (const auto& output : outputs)
    if (!common::is_standard_output(output)) claims.emplace_back(output);
  return claims;
}

}  // namespace bench_transfers::claims
