#include "src/result_file/beginning.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <system_error>
#include <vector>

#include "src/common/files.hpp"
#include "src/common/gzip.hpp"
#include "src/common/quantities.hpp"

namespace bench_transfers::result_file {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 20;  // what precedes the benchmarks is shorter
constexpr auto fleet_path = "context/transfers/fleet";

class beginning_reader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit beginning_reader(std::size_t text_bytes) : text_bytes_(text_bytes) {}

  [[nodiscard]] const beginning& told() const { return told_; }

  bool key(string_t& name) override {
    path_.back() = name;
    const bool are_benchmarks = path_.size() == 1 && name == "benchmarks";
    return !are_benchmarks;
  }
  bool string(string_t& value) override {
    const auto at = where();
    if (at == "context/transfers/run/started_utc") told_.started = common::parse_timestamp(value);
    if (at == "context/transfers/device/uuid" || at == "context/transfers/devices//uuid")
      told_.gpus.insert(value);
    return keep(value);
  }
  bool boolean(bool value) override {
    if (where() == "context/transfers/complete") told_.is_complete = value;
    return keep(value);
  }
  bool null() override { return keep(nullptr); }
  bool number_integer(number_integer_t value) override { return keep(value); }
  bool number_unsigned(number_unsigned_t value) override { return keep(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return keep(value); }
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*elements*/) override {
    const auto at = where();
    if (at == "context/transfers") told_.is_of_bench_transfers = true;
    if (at == fleet_path) fleet_ = nlohmann::json::object();
    return deeper();
  }
  bool end_object() override {
    path_.pop_back();
    if (where() == fleet_path) told_.fleet = fleet_;
    return true;
  }
  bool start_array(std::size_t /*elements*/) override { return deeper(); }
  bool end_array() override {
    path_.pop_back();
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    told_.is_cut_off = position >= text_bytes_;
    return false;
  }

 private:
  /// The keys down to the value; those of a list are empty. Nothing that is asked for lies deeper
  /// than a device's UUID: a file may be a million brackets.
  [[nodiscard]] std::string where() const {
    constexpr std::size_t deepest = 5;
    return path_.size() > deepest ? "" : fmt::format("{}", fmt::join(path_, "/"));
  }
  bool deeper() {
    path_.emplace_back();
    return true;
  }
  template <class Value>
  bool keep(const Value& value) {
    constexpr std::size_t depth_in_fleet = 4;
    if (path_.size() != depth_in_fleet) return true;
    const auto name = path_.back();
    path_.pop_back();
    if (where() == fleet_path) fleet_[name] = value;
    path_.push_back(name);
    return true;
  }

  std::size_t text_bytes_;
  std::vector<std::string> path_;
  nlohmann::json fleet_;
  beginning told_;
};

bool is_blank(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char letter) { return std::isspace(letter) != 0; });
}

}  // namespace

beginning beginning_of_text(std::string_view text, bool is_whole) {
  beginning_reader reader(text.size());
  nlohmann::json::sax_parse(text, &reader);
  auto told = reader.told();
  told.is_cut_off = is_whole && (told.is_cut_off || is_blank(text));
  return told;
}

beginning beginning_of_bytes(std::string_view bytes) {
  const auto text = common::unpacked_beginning(bytes, most_bytes);
  return beginning_of_text(text, text.size() < most_bytes);
}

std::optional<beginning> beginning_of_file(const std::filesystem::path& file) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(file, error);
  const auto text = common::beginning_of(file, most_bytes);
  if (error || (text.empty() && bytes > 0)) return std::nullopt;
  return beginning_of_text(text, text.size() < most_bytes);
}

}  // namespace bench_transfers::result_file
