#pragma once

#include <fmt/format.h>
#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/common/text.hpp"
#include "src/result_file/entries.hpp"

namespace bench_transfers::result_file {

/// A value of a JSON file and where it stands: "links[2].devices". Its functions throw bad_entry,
/// with the place, where the value is not what they return.
class checked_value {
 public:
  checked_value(simdjson::dom::element value, std::string place)
      : value_(value), place_(std::move(place)) {}

  [[noreturn]] void refuse(std::string_view why) const {
    throw bad_entry(fmt::format("{} {}", place_.empty() ? "it" : place_, why));
  }
  void require(bool holds, std::string_view otherwise) const {
    if (!holds) refuse(otherwise);
  }

  [[nodiscard]] checked_value at(std::string_view key) const {
    require(value_.is_object(), "is no object");
    simdjson::dom::element value;
    if (value_.at_key(key).get(value) != simdjson::SUCCESS) refuse(fmt::format("has no '{}'", key));
    return member(value, key);
  }
  /// Nothing if it is null.
  [[nodiscard]] std::optional<checked_value> at_or_null(std::string_view key) const {
    auto member = at(key);
    return member.value_.is_null() ? std::nullopt : std::optional(std::move(member));
  }
  [[nodiscard]] bool has(std::string_view key) const {
    require(value_.is_object(), "is no object");
    return value_.at_key(key).error() == simdjson::SUCCESS;
  }
  /// Nothing if it is null, or not there.
  [[nodiscard]] std::optional<checked_value> find(std::string_view key) const {
    return has(key) ? at_or_null(key) : std::nullopt;
  }
  /// Its keys are as in the file: not printable.
  [[nodiscard]] std::vector<std::pair<std::string_view, checked_value>> members() const {
    require(value_.is_object(), "is no object");
    std::vector<std::pair<std::string_view, checked_value>> members;
    for (const auto& [key, value] : simdjson::dom::object(value_))
      members.emplace_back(key, member(value, common::printable_in_short(key)));
    return members;
  }

  [[nodiscard]] std::vector<checked_value> list(std::size_t most) const {
    require(value_.is_array(), "is no list");
    std::vector<checked_value> entries;
    for (const auto value : simdjson::dom::array(value_)) {
      if (entries.size() == most) refuse(fmt::format("has more than {} entries", most));
      entries.push_back(entry(value, entries.size()));
    }
    return entries;
  }
  [[nodiscard]] std::vector<std::optional<checked_value>> list_with_nulls(std::size_t most) const {
    std::vector<std::optional<checked_value>> entries;
    for (auto& member : list(most))
      entries.push_back(member.value_.is_null() ? std::nullopt : std::optional(std::move(member)));
    return entries;
  }
  /// Numbers that are all accepted. Files have millions of them: the place of one is put into words
  /// only if it is refused.
  template <class Accepts>
  [[nodiscard]] std::vector<double> numbers(std::size_t most, const Accepts& accepts,
                                            std::string_view otherwise) const {
    require(value_.is_array(), "is no list");
    std::vector<double> numbers;
    for (const auto value : simdjson::dom::array(value_)) {
      if (numbers.size() == most) refuse(fmt::format("has more than {} entries", most));
      double number = 0;
      const bool is_number = value.get_double().get(number) == simdjson::SUCCESS;
      if (!is_number || !accepts(number))
        entry(value, numbers.size()).refuse(is_number ? otherwise : "is no number");
      numbers.push_back(number);
    }
    return numbers;
  }
  /// The value as JSON.
  [[nodiscard]] std::string json() const { return simdjson::minify(value_); }
  [[nodiscard]] bool truth() const {
    require(value_.is_bool(), "is neither true nor false");
    return bool(value_);
  }
  /// Names are shown on terminals.
  [[nodiscard]] std::string text() const {
    require(value_.is_string(), "is no text");
    return common::printable(std::string_view(value_));
  }
  [[nodiscard]] double number() const {
    double number = 0;
    require(value_.get_double().get(number) == simdjson::SUCCESS, "is no number");
    return number;
  }
  [[nodiscard]] double number(double least, double most) const {
    const auto value = number();
    if (!(value >= least && value <= most))
      refuse(fmt::format("is {}, not from {} to {}", value, least, most));
    return value;
  }
  [[nodiscard]] double not_negative() const {
    const auto value = number();
    require(value >= 0, "is negative");
    return value;
  }
  [[nodiscard]] std::size_t whole(std::size_t most) const {
    std::uint64_t number = 0;
    require(value_.is_uint64() || value_.is_int64(), "is no whole number");
    if (value_.get_uint64().get(number) != simdjson::SUCCESS || number > most)
      refuse(fmt::format("is not from 0 to {}", most));
    return static_cast<std::size_t>(number);
  }
  [[nodiscard]] std::size_t whole_from_1(std::size_t most) const {
    const auto number = whole(most);
    require(number >= 1, "is 0");
    return number;
  }

 private:
  [[nodiscard]] checked_value member(simdjson::dom::element value, std::string_view key) const {
    return {value, place_.empty() ? std::string(key) : fmt::format("{}.{}", place_, key)};
  }
  [[nodiscard]] checked_value entry(simdjson::dom::element value, std::size_t index) const {
    return {value, fmt::format("{}[{}]", place_, index)};
  }

  simdjson::dom::element value_;
  std::string place_;
};

}  // namespace bench_transfers::result_file
