#include "bench/record/told_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "src/common/read_text.hpp"
#include "src/common/timestamp.hpp"

namespace bench_transfers::bench {
namespace {

constexpr auto fleet_path = "context/transfers/fleet";

/// Keeps what tells whose the run is. What is cut off within context.transfers.fleet tells nothing.
class run_reader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit run_reader(std::size_t text_bytes) : text_bytes_(text_bytes) {}

  [[nodiscard]] const told_run& told() const { return told_; }

  bool key(string_t& name) override {
    path_.back() = name;
    // What was measured follows, which may be long.
    return path_.size() > 1 || name != "benchmarks";
  }
  bool null() override { return keep(nullptr); }
  bool boolean(bool value) override {
    if (where() == "context/transfers/complete") told_.is_complete = value;
    return keep(value);
  }
  bool number_integer(number_integer_t value) override { return keep(value); }
  bool number_unsigned(number_unsigned_t value) override { return keep(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return keep(value); }
  bool string(string_t& value) override {
    if (where() == "context/transfers/run/started_utc")
      told_.started = common::parse_timestamp(value);
    return keep(value);
  }
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*elements*/) override {
    if (where() == fleet_path) fleet_ = nlohmann::json::object();
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
  /// The keys down to the value; those of a list are empty.
  [[nodiscard]] std::string where() const { return fmt::format("{}", fmt::join(path_, "/")); }
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
  told_run told_;
};

bool is_blank(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char letter) { return std::isspace(letter) != 0; });
}

}  // namespace

told_run told_by(const std::filesystem::path& file) {
  constexpr std::size_t most = std::size_t{1} << 20;  // the context has less
  std::error_code error;
  const auto bytes = std::filesystem::file_size(file, error);
  const auto text = common::beginning_of(file, most);
  if (error || (text.empty() && bytes > 0)) return {};  // it cannot be read
  run_reader reader(text.size());
  nlohmann::json::sax_parse(text, &reader);
  auto told = reader.told();
  told.is_cut_off = text.size() < most && (told.is_cut_off || is_blank(text));
  return told;
}

}  // namespace bench_transfers::bench
