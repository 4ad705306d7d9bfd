#include "bench/cli/import.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>

#include "src/claims/file_claim.hpp"
#include "src/common/command_line.hpp"
#include "src/common/outputs.hpp"
#include "src/common/packed.hpp"
#include "src/common/printable.hpp"
#include "src/common/read_text.hpp"
#include "src/common/sizes.hpp"
#include "src/imports/nvbandwidth.hpp"
#include "src/result_file/reader.hpp"
#include "src/result_file/writer.hpp"

namespace bench_transfers::bench {
namespace {

constexpr const char* import_footer =
    "The rates are those that the other program has printed: timed on the device, a single value\n"
    "each. compare, export and the report take the file and say so; docs/EXPORTS.md has more.\n"
    "Its copies have 512 MiB, up to release 0.6 64 MiB, unless --buffer-size says another size.\n"
    "Exit codes: 0 done, 1 writing has failed, 2 usage, or a file that cannot be used.";

std::string text_in(const std::filesystem::path& file) {
  try {
    return common::read_text(file);
  } catch (const common::read_error& error) {
    throw common::usage_error(
        fmt::format("cannot use {}: {}", common::printable(file.string()), error.what()));
  }
}

/// Of a number by itself the unit is that of nvbandwidth's --bufferSize.
std::optional<std::size_t> buffer_bytes_of(const std::string& size) {
  if (size.empty()) return std::nullopt;
  const bool has_unit = size.find_first_not_of("0123456789") != std::string::npos;
  const bool is_zero = size.find_first_not_of('0') == std::string::npos;
  return common::parse_size(has_unit || is_zero ? size : size + "MiB");
}

}  // namespace

CLI::App* add_import(CLI::App& app, import_request& request) {
  auto* const command =
      app.add_subcommand("import", "Make a result file of what nvbandwidth has printed.");
  command->option_defaults()->take_last();
  command->get_formatter()->column_width(32);
  command->footer(import_footer);
  command->add_option("FILE", request.file, "what the other program has printed")
      ->required()
      ->type_name("FILE");
  command->add_option("--format", request.format, "nvbandwidth (default)")->type_name("FORMAT");
  command
      ->add_option("--buffer-size", request.buffer_size,
                   "its --bufferSize, if it was given; a mere number is MiB")
      ->type_name("SIZE");
  command->add_option("--out", request.out, "write it here (default: -, standard output)")
      ->type_name("FILE");
  return command;
}

void import_results(const import_request& request) {
  if (request.format != "nvbandwidth")
    throw common::usage_error(
        fmt::format("bad --format '{}': nvbandwidth", common::printable_in_short(request.format)));
  const auto buffer_bytes = buffer_bytes_of(request.buffer_size);
  const auto claimed = claims::claim_outputs({request.out}, std::span(&request.file, 1));
  try {
    const auto imported =
        imports::from_nvbandwidth(text_in(request.file), request.file, buffer_bytes);
    const auto text = result_file::to_text(imported);
    common::write_output(request.out,
                         request.out.extension() == ".gz" ? common::packed(text) : text);
  } catch (const result_file::unusable_file& error) {
    throw common::usage_error(error.what());
  }
}

}  // namespace bench_transfers::bench
