#include "bench/cli/file_claim.hpp"

#include <fmt/format.h>

#include "src/common/command_line.hpp"
#include "src/common/printable.hpp"
#include "src/fleet/ranks/shared_file.hpp"

namespace bench_transfers::bench {
namespace {

std::string name_of(const fleet::other_writer& other) {
  if (other.is_of_another_container) return "a process of another container";
  return other.process ? fmt::format("process {}", *other.process) : "another process";
}

}  // namespace

file_claim::file_claim(const std::filesystem::path& file) {
  if (file.empty()) return;
  try {
    writer_ = std::make_unique<fleet::only_writer>(file);
  } catch (const fleet::cannot_share&) {
    return;
  }
  if (writer_->other()) writer_.reset();
}

file_claim file_claim::of_alone(const std::filesystem::path& file) {
  const auto name = common::printable(file.string());
  file_claim claim;
  try {
    claim.writer_ = std::make_unique<fleet::only_writer>(file);
  } catch (const fleet::cannot_share& error) {
    throw common::usage_error(
        fmt::format("cannot know that nobody else writes {}: {}", name, error.what()));
  }
  if (const auto& other = claim.writer_->other())
    throw common::usage_error(fmt::format("{} writes {}", name_of(*other), name));
  return claim;
}

std::optional<std::string> file_claim::why_not_write() const {
  if (!writer_ || !writer_->is_passed_over()) return std::nullopt;
  return "while this process was stopped, another one has begun to write it";
}

}  // namespace bench_transfers::bench
