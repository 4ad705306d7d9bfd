#include "src/imports/nvbandwidth.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "src/common/text.hpp"
#include "src/imports/nvbandwidth_document.hpp"
#include "src/imports/nvbandwidth_output.hpp"
#include "src/imports/nvbandwidth_run.hpp"
#include "src/result_file/reader.hpp"

namespace bench_transfers::imports {

std::size_t nvbandwidth_buffer_bytes(std::string_view version) {
  constexpr std::size_t MiB = std::size_t{1} << 20;
  constexpr int first_with_more = 7;
  if (version.starts_with('v')) version.remove_prefix(1);
  int minor = first_with_more;
  if (version.starts_with("0."))
    std::from_chars(version.data() + 2, version.data() + version.size(), minor);
  return (minor < first_with_more ? 64 : 512) * MiB;
}

nlohmann::ordered_json from_nvbandwidth(std::string text, const std::filesystem::path& file,
                                        std::optional<std::size_t> buffer_bytes) {
  try {
    text = without_surroundings(std::move(text));
    const auto printed = text.starts_with('{') ? std::nullopt : from_plain_text(text);
    const auto output = printed ? *printed : result_file::document_in(std::move(text), file);
    return document_of(nvbandwidth_run_in(output, buffer_bytes), file);
  } catch (const unusable& error) {
    throw result_file::unusable_file(
        fmt::format("cannot import {}: {}", common::printable(file.string()), error.what()));
  }
}

}  // namespace bench_transfers::imports
