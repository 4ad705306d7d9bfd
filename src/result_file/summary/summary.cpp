#include "src/result_file/summary/summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "src/common/message.hpp"
#include "src/common/text.hpp"
#include "src/exports/text.hpp"
#include "src/result_file/reader.hpp"
#include "src/result_file/summary/figures.hpp"
#include "src/result_file/summary/tables.hpp"

namespace bench_transfers::result_file {
namespace {

using common::rate_digits;
using json = nlohmann::ordered_json;

std::string link_text(const json& link) {
  return fmt::format(
      ", PCIe {}.0 x{}: at most {:.1f} GB/s each way, {:.1f} to {:.1f} after packet headers",
      link.at("generation").get<int>(), link.at("width").get<int>(),
      link.at("limit_gb_per_s").get<double>(), link.at("packet_limit_gb_per_s").at(0).get<double>(),
      link.at("packet_limit_gb_per_s").at(1).get<double>());
}

/// "Device" or, of several, "Device cuda:1".
std::string device_line(const json& device, const json& link, bool on_host,
                        const std::string& title) {
  if (on_host && !member(device, {"emulated_link"}).is_null())
    return fmt::format(
        "{}: {}: every figure is a copy within this machine's memory, at the rates set for the "
        "emulated link.",
        title, text_at(device, {"name"}));
  if (on_host)
    return fmt::format(
        "{}: host, no GPU: every figure is a copy within this machine's memory, not a GPU link.",
        title);
  return fmt::format("{}: {}{}.", title, text_at(device, {"name"}),
                     link.is_null() ? "" : link_text(link));
}

/// How the processor treats the kinds of memory, if that is not as expected.
std::vector<std::string> memory_type_notes(const contents& read) {
  std::vector<std::string> notes;
  bool noted_without_effect = false;
  for (const auto& block : member(read.facts, {"buffers"})) {
    const auto type = text_at(block, {"memory_type"});
    if (type.empty()) continue;
    const auto memory = text_at(block, {"memory"});
    const auto& plain = member(block, {"cpu_reads", "plain_gb_per_s"});
    const auto& ordinary = member(block, {"cpu_reads_of_ordinary_memory", "plain_gb_per_s"});
    // A clock that stood still has measured no rate.
    if (!plain.is_number() || !ordinary.is_number()) continue;
    const auto rates =
        fmt::format("{} GB/s against {} for ordinary memory, caches cold",
                    rate_digits(plain.get<double>()), rate_digits(ordinary.get<double>()));
    if (type == "write-back") {
      // The first kind of memory with the flag represents all of them.
      if (member(block, {"write_combined"}) == true && !std::exchange(noted_without_effect, true))
        notes.push_back(fmt::format(
            "the flag WRITECOMBINED had no effect here: the CPU reads {} at {}. A hypervisor "
            "or the driver has overridden the memory type; on bare metal such reads are slow.",
            memory, rates));
      continue;
    }
    const auto& streaming = member(block, {"cpu_reads", "streaming_gb_per_s"});
    if (type == "write-combined" && streaming.is_number())
      notes.push_back(fmt::format(
          "{} is write-combined: the CPU reads it at {}. Only write to it; if it must be "
          "read, transfers::streaming_load does it at {} GB/s.",
          memory, rates, rate_digits(streaming.get<double>())));
    else
      notes.push_back(
          fmt::format("the memory type of {} is {}: the CPU reads it at {}.", memory, type, rates));
  }
  return notes;
}

/// Lists operations timed alone before those in batches.
void add_floor(exports::answer& out, std::vector<const benchmark*> floors,
               const figures& measured) {
  const auto is_in_batch = [&](const benchmark* floor) {
    return measured.median(*floor, "batch").value_or(1) > 1;
  };
  std::ranges::stable_sort(floors, {}, is_in_batch);
  std::string text;
  for (const auto* floor : floors) {
    text += text.empty() ? "Harness floor: " : ", ";
    text += common::decimals(measured.median(*floor, "median_ns").value(), 1) + " ns";
    text += is_in_batch(floor) ? " in a batch" : " per operation timed alone";
  }
  if (!text.empty()) out.say(text + ".");
}

/// Each reason once, with the number of benchmarks that it covers.
void add_skipped(exports::answer& out, const std::vector<skipped_benchmark>& skipped) {
  std::vector<std::pair<common::message, std::vector<std::string>>> by_reason;
  for (const auto& [name, reason] : skipped) {
    auto entry = std::ranges::find(by_reason, reason, [](const auto& pair) { return pair.first; });
    if (entry == by_reason.end()) entry = by_reason.insert(by_reason.end(), {reason, {}});
    entry->second.push_back(name);
  }
  for (const auto& [reason, names] : by_reason)
    out.say(fmt::format("Skipped {}: {}.", common::listed(names, 1), reason.text));
}

/// The table that shows a benchmark. A benchmark without a direction cannot be in the table of
/// directions and is in that of times.
table table_for(const benchmark& described, const contents& read) {
  const auto shown = read.role_of(described).shown_in;
  const bool is_directed =
      described.direction == direction::h2d || described.direction == direction::d2h;
  return shown == table::directions && !is_directed ? table::times : shown;
}

std::vector<figure> only(table shown, const std::vector<figure>& sized, const contents& read) {
  std::vector<figure> chosen;
  std::ranges::copy_if(sized, std::back_inserter(chosen), [&](const figure& candidate) {
    return table_for(*candidate.benchmark, read) == shown;
  });
  return chosen;
}

/// Benchmarks without a size, and the floor of the harness.
void add_all_unsized(exports::answer& out, const std::vector<const benchmark*>& shown,
                     const figures& measured) {
  std::vector<const benchmark*> others, floors;
  for (const auto* described : shown)
    (table_for(*described, measured.file()) == table::floor ? floors : others).push_back(described);
  add_unsized(out, others, measured);
  add_floor(out, floors, measured);
}

/// The tables of the benchmarks that belong.
void add_tables(exports::answer& out, const std::vector<figure>& sized, const figures& measured,
                detail shown, const std::function<bool(const benchmark&)>& belongs) {
  std::vector<figure> chosen;
  std::ranges::copy_if(sized, std::back_inserter(chosen),
                       [&](const figure& candidate) { return belongs(*candidate.benchmark); });
  auto unsized = measured.unsized();
  std::erase_if(unsized, [&](const benchmark* candidate) { return !belongs(*candidate); });
  const auto shown_in = [&](table kind) { return only(kind, chosen, measured.file()); };
  const auto directed = shown_in(table::directions);
  add_directions(out, directed, measured, shown);
  if (shown == detail::brief && !directed.empty()) return;
  out.add(table_of_smaller(directed));
  add_sizes(out, directed);
  out.add(table_of_lines(measured, belongs));
  out.add(table_of_costs(directed, measured));
  out.add(table_of_duplex(shown_in(table::duplex), measured));
  out.add(table_of_concurrent(shown_in(table::concurrent), measured));
  out.add(table_of_overlap(shown_in(table::overlap), measured));
  add_times(out, shown_in(table::times), measured);
  out.add(table_of_cpu_access(shown_in(table::cpu_access), measured));
  out.add(table_of_allocation(shown_in(table::allocation)));
  add_all_unsized(out, unsized, measured);
}

/// Each device by itself, then what uses several at once.
void add_tables_by_device(exports::answer& out, const std::vector<figure>& sized,
                          const figures& measured, detail shown) {
  const auto& read = measured.file();
  std::size_t index = 0;
  bool has_tables = false;
  for (const auto& device : member(read.facts, {"devices"})) {
    if (index > 0) out.say("");
    out.say(device_line(device, member(device, {"link"}), read.on_host,
                        fmt::format("Device {}", id_of_device(read, index))));
    const auto without = out.parts.size();
    add_tables(out, sized, measured, shown,
               [&](const benchmark& described) { return described.devices == std::vector{index}; });
    has_tables |= out.parts.size() > without;
    ++index;
  }
  if (shown == detail::brief && has_tables) return;
  add_tables(out, sized, measured, shown,
             [](const benchmark& described) { return described.devices.size() != 1; });
}

/// Whether a warning describes the machine, and not what has happened while it was measured. Of a
/// later version's warnings that is not known.
bool is_of_machine(const common::message& warning) {
  constexpr std::array codes{"virtual_machine", "mig_instance", "confidential_computing",
                             "cpu_governor",    "numa_far",     "memlock_limit",
                             "imported"};
  return std::ranges::find(codes, warning.code) != codes.end();
}

/// What limits the figures, and what is missing. What makes them doubtful is never left out.
void add_notes(exports::answer& out, const contents& read, detail shown) {
  auto notes = memory_type_notes(read);
  if (shown == detail::all) add_skipped(out, read.skipped);
  for (const auto& warning : read.warnings) {
    if (shown == detail::all || is_of_machine(warning))
      notes.push_back(warning.text);
    else
      out.say("Note: " + warning.text);
  }
  if (shown == detail::all) {
    for (const auto& note : notes) out.say("Note: " + note);
    return;
  }
  std::vector<std::string> left_out;
  const auto count = [&](std::size_t number, const char* one) {
    if (number > 0) left_out.push_back(common::counted(number, one));
  };
  count(notes.size(), "note");
  count(read.skipped.size(), "skipped benchmark");
  if (!left_out.empty()) out.say(fmt::format("Not shown: {}.", fmt::join(left_out, " and ")));
}

}  // namespace

std::string summary(const contents& read, std::size_t columns, detail shown) {
  const figures measured(read);
  const bool has_several = member(read.facts, {"devices"}).size() > 1;
  exports::answer out;
  if (!has_several)
    out.say(device_line(member(read.facts, {"device"}), member(read.facts, {"link"}), read.on_host,
                        "Device"));
  auto sized = measured.sized(cache_state::warm);
  if (sized.empty()) {
    sized = measured.sized(cache_state::cold);
    if (!sized.empty()) out.say("Caches were flushed before every operation (cold).");
  }
  if (has_several)
    add_tables_by_device(out, sized, measured, shown);
  else
    add_tables(out, sized, measured, shown, [](const benchmark&) { return true; });
  if (shown == detail::all) add_nodes(out, only(table::directions, sized, read), measured);
  add_modes(out, read, shown);
  add_notes(out, read, shown);
  if (const auto signal = text_at(read.facts, {"run", "interrupted_by"}); !signal.empty())
    out.say(fmt::format("Interrupted by {}: this is what was measured until then.", signal));
  for (const auto& row : read.rows)
    if (row.failed)
      out.say(fmt::format("FAILED {}: {}", row.benchmark->name,
                          row.failed->message.empty() ? "no message" : row.failed->message));
  return exports::text_of(out, columns);
}

std::string summary(const json& document, std::size_t columns, detail shown) {
  return summary(read_json(document, "this run"), columns, shown);
}

}  // namespace bench_transfers::result_file
