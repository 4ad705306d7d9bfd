#include "src/result_file/entries.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "src/common/text.hpp"

namespace bench_transfers::result_file {
namespace {

using json = nlohmann::ordered_json;

/// The members of one entry.
class entry_reader {
 public:
  entry_reader(std::string name, const json& entry) : name_(std::move(name)), entry_(entry) {
    if (!entry.is_object()) refuse("it is no object");
  }

  [[nodiscard]] std::string text(const char* key) const {
    auto entry_text = optional_text(key);
    if (!entry_text) refuse(fmt::format("it has no {}", key));
    return *entry_text;
  }

  [[nodiscard]] std::optional<std::string> optional_text(const char* key) const {
    const auto& member = value(key);
    if (member.is_null()) return std::nullopt;
    if (!member.is_string()) refuse(fmt::format("its {} is no text", key));
    return common::printable(member.get_ref<const std::string&>());
  }

  [[nodiscard]] std::optional<std::size_t> optional_whole(const char* key) const {
    const auto& member = value(key);
    if (member.is_null()) return std::nullopt;
    if (!member.is_number_unsigned()) refuse(fmt::format("its {} is no whole number", key));
    return member.get<std::size_t>();
  }

  [[nodiscard]] std::optional<unsigned> optional_small_whole(const char* key) const {
    const auto number = optional_whole(key);
    if (!number) return std::nullopt;
    if (*number > std::numeric_limits<unsigned>::max())
      refuse(fmt::format("its {} is too large", key));
    return static_cast<unsigned>(*number);
  }

  [[nodiscard]] unsigned small_whole(const char* key) const {
    const auto number = optional_small_whole(key);
    if (!number) refuse(fmt::format("it has no {}", key));
    return *number;
  }

  [[nodiscard]] bool truth(const char* key) const {
    const auto& flag = value(key);
    if (!flag.is_null() && !flag.is_boolean())
      refuse(fmt::format("its {} is neither true nor false", key));
    return flag.is_boolean() && flag.get<bool>();
  }

  [[nodiscard]] std::vector<std::size_t> whole_numbers(const char* key) const {
    const auto& list = value(key);
    if (!list.is_array()) refuse(fmt::format("its {} is no list", key));
    std::vector<std::size_t> numbers;
    for (const auto& number : list) {
      if (!number.is_number_unsigned())
        refuse(fmt::format("its {} has something that is no whole number", key));
      numbers.push_back(number.get<std::size_t>());
    }
    return numbers;
  }

  /// One of the words that `from` knows.
  template <class From>
  [[nodiscard]] auto word(const char* key, From&& from) const {
    const auto spelling = text(key);
    const auto parsed = from(spelling);
    if (!parsed)
      refuse(fmt::format("its {} is '{}', which is not known", key,
                         common::printable_in_short(spelling)));
    return *parsed;
  }

  [[nodiscard]] std::vector<flow> flows(const char* key) const {
    const auto& list = value(key);
    if (!list.is_null() && !list.is_array()) refuse(fmt::format("its {} is no list", key));
    std::vector<flow> read;
    for (const auto& entry : list) read.push_back(flow_from(entry));
    return read;
  }

  [[nodiscard]] flow flow_from(const json& entry) const {
    const entry_reader read(name_ + ": a flow", entry);
    const auto device = read.optional_whole("device");
    if (!device) read.refuse("it has no device");
    return {*device, read.word("direction", direction_from), read.optional_text("memory"),
            read.optional_small_whole("node")};
  }

  [[nodiscard]] std::optional<set_description> set(const char* key) const {
    if (value(key).is_null()) return std::nullopt;
    const entry_reader read(name_ + ": its set", value(key));
    // A kind that is not known is one of a later version.
    return set_description{set_kind_from(read.text("kind")).value_or(set_kind::listed),
                           read.optional_text("place")};
  }

  [[nodiscard]] const json& value(const char* key) const {
    static const json null;
    const auto member = entry_.find(key);
    return member == entry_.end() ? null : *member;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw bad_entry(fmt::format("{}: {}", name_, why));
  }

 private:
  std::string name_;
  const json& entry_;
};

std::string title(const char* kind, const std::string& name) {
  return fmt::format("{} {}", kind, common::printable_in_short(name));
}

}  // namespace

bad_entry bad_benchmark(std::string_view name, std::string_view why) {
  return bad_entry(fmt::format("{}: {}", title("benchmark", std::string(name)), why));
}

benchmark benchmark_from(const std::string& name, const json& entry) {
  const entry_reader read(title("benchmark", name), entry);
  return {.name = name,
          .family = read.text("family"),
          .strategy = read.text("strategy"),
          .method = read.optional_text("method"),
          .setting = read.optional_text("setting"),
          .memory = read.optional_text("memory"),
          .node = read.optional_small_whole("node"),
          .variant = read.optional_text("variant"),
          .direction = read.word("direction", direction_from),
          .size_bytes = read.optional_whole("size_bytes"),
          .cache = read.word("cache", cache_state_from),
          .devices = read.whole_numbers("devices"),
          .flows = read.flows("flows"),
          .set = read.set("set"),
          .role = read.text("role"),
          .plainness = read.small_whole("plainness"),
          .in_place = read.truth("in_place"),
          .emulation = read.truth("emulation")};
}

role role_from(const std::string& name, const json& entry) {
  const entry_reader read(title("role", name), entry);
  // A kind of table that is not known is one of a later version.
  return {name, read.text("description"), table_from(read.text("table")).value_or(table::times)};
}

metric metric_from(const std::string& name, const json& entry) {
  const entry_reader read(title("metric", name), entry);
  metric described{.name = name,
                   .unit = read.text("unit"),
                   .kind = read.word("kind", metric_kind_from),
                   .better = std::nullopt,
                   .description = read.text("description"),
                   .headline = read.truth("headline"),
                   .flow = std::nullopt,
                   .alone = read.truth("alone")};
  if (!read.value("better").is_null()) described.better = read.word("better", better_from);
  if (!read.value("flow").is_null()) described.flow = read.flow_from(read.value("flow"));
  return described;
}

void require_version(const json& version, const char* name, int known) {
  if (!version.is_number_integer()) throw bad_entry(fmt::format("its {} is no whole number", name));
  if (version != known)
    throw bad_entry(
        fmt::format("its {} is {}, this program reads {}", name, version.dump(), known));
}

common::message message_from(const json& entry, const std::string& place) {
  const entry_reader read(place, entry);
  const auto& data = read.value("data");
  return {read.text("code"), data.is_object() ? data : json::object(), read.text("text")};
}

}  // namespace bench_transfers::result_file
