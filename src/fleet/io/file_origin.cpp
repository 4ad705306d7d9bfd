#include "src/fleet/io/file_origin.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <vector>

#include "src/common/printable.hpp"
#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet {
namespace {

using json = nlohmann::ordered_json;

/// Keeps what says whose the file is, until its context ends or the text makes no sense.
class origin_reader : public nlohmann::json_sax<json> {
 public:
  explicit origin_reader(std::size_t text_bytes) : text_bytes_(text_bytes) {}

  [[nodiscard]] const file_origin& origin() const { return origin_; }

  bool key(string_t& name) override {
    path_.back() = name;
    // What was measured follows, which may be long.
    return path_.size() > 1 || name != "benchmarks";
  }
  bool string(string_t& value) override {
    const auto at = where();
    if (at == "context/transfers/fleet/node") origin_.node = common::printable(value);
    if (at == "context/transfers/fleet/sweep") origin_.sweep = common::printable(value);
    if (at == "context/transfers/device/uuid" || at == "context/transfers/devices//uuid")
      if (origin_.gpu.empty()) origin_.gpu = common::printable(value);
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (where() == "context/transfers/fleet/rank" && value <= most_ranks) origin_.rank = value;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    origin_.is_cut_off = position >= text_bytes_;
    return false;
  }

  bool start_object(std::size_t /*elements*/) override { return deeper(); }
  bool start_array(std::size_t /*elements*/) override { return deeper(); }
  bool end_object() override { return higher(); }
  bool end_array() override { return higher(); }
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }

 private:
  /// The keys down to the value; those of a list are empty.
  [[nodiscard]] std::string where() const { return fmt::format("{}", fmt::join(path_, "/")); }
  bool deeper() {
    path_.emplace_back();
    return true;
  }
  bool higher() {
    path_.pop_back();
    return true;
  }

  std::size_t text_bytes_;
  std::vector<std::string> path_;
  file_origin origin_;
};

}  // namespace

file_origin origin_of(std::string_view text, bool is_whole) {
  origin_reader reader(text.size());
  json::sax_parse(text, &reader);
  auto origin = reader.origin();
  origin.is_cut_off =
      is_whole && (origin.is_cut_off || std::ranges::all_of(text, [](unsigned char letter) {
                     return std::isspace(letter) != 0;
                   }));
  return origin;
}

}  // namespace bench_transfers::fleet
