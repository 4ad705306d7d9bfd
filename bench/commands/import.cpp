#include <fmt/format.h>

#include <optional>

#include "bench/cli/run.hpp"
#include "src/claims/file_claim.hpp"
#include "src/command/command.hpp"
#include "src/common/files.hpp"
#include "src/common/gzip.hpp"
#include "src/common/program.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/common/writing.hpp"
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

class import_command final : public commands::command {
 public:
  explicit import_command(CLI::App& options) {
    options.footer(import_footer);
    options.add_option("FILE", file_, "what the other program has printed")
        ->required()
        ->type_name("FILE");
    options.add_option("--format", format_, "nvbandwidth (default)")->type_name("FORMAT");
    options
        .add_option("--buffer-size", buffer_size_,
                    "its --bufferSize, if it was given; a mere number is MiB")
        ->type_name("SIZE");
    options.add_option("--out", out_, "write it here (default: -, standard output)")
        ->type_name("FILE");
  }

  [[nodiscard]] common::exit_code run() const override {
    if (format_ != "nvbandwidth")
      throw common::usage_error(
          fmt::format("bad --format '{}': nvbandwidth", common::printable_in_short(format_)));
    const auto buffer_bytes = buffer_bytes_of(buffer_size_);
    const auto claimed = claims::claim_outputs({out_}, std::span(&file_, 1));
    try {
      const auto imported = imports::from_nvbandwidth(text_in(file_), file_, buffer_bytes);
      const auto text = result_file::to_text(imported);
      common::write_output(out_, out_.extension() == ".gz" ? common::packed(text) : text);
    } catch (const result_file::unusable_file& error) {
      throw common::usage_error(error.what());
    }
    return exit_code::done;
  }

  [[nodiscard]] commands::offers offered() const override {
    return {{"--format", {"nvbandwidth"}}};
  }

 private:
  std::filesystem::path file_;
  std::string format_ = "nvbandwidth";
  std::string buffer_size_;          ///< of each copy; empty: what the other program uses
  std::filesystem::path out_ = "-";  ///< "-": standard output
};

const commands::registration<import_command> importing{
    "import", "Make a result file of what nvbandwidth has printed."};

}  // namespace
}  // namespace bench_transfers::bench
