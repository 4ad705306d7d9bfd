#include "src/advice/text_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "src/common/message.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"

namespace bench_transfers::advice {

using common::counted;
using common::percent_text;

std::string size_text(double bytes) { return common::format_size(static_cast<std::size_t>(bytes)); }

std::string interval_text(const statistics::estimate& shown) {
  const double part = std::max(shown.high - shown.value, shown.value - shown.low) / shown.value;
  return part < 9.995 ? fmt::format("± {:.0f} %", std::ceil(100 * part)) : "> 999 %";
}

std::string error_cell(double part) {
  constexpr double most = 9.995;
  return part < most ? percent_text(part) : "> 999 %";
}

std::string accesses(const question& question) {
  return fmt::format("per transfer {} and {} by the CPU{}.", counted(question.cpu_writes, "write"),
                     counted(question.cpu_reads, "read"),
                     question.lines == result_file::cache_state::warm
                         ? ""
                         : "; memory " + result_file::describe(question.lines));
}

std::string run_of(const std::set<std::size_t>& sizes, result_file::cache_state lines,
                   const std::string& options) {
  std::vector<std::string> texts;
  for (const auto size : sizes) texts.push_back(common::format_size(size));
  return fmt::format("bench_transfers {}{}--sizes={}", options,
                     lines == result_file::cache_state::warm
                         ? ""
                         : fmt::format("--cache={} ", result_file::to_string(lines)),
                     fmt::join(texts, ","));
}

void add_origin(exports::answer& out, const measurements& measured, const ignored_rows& ignored) {
  const auto& source = measured.from;
  out.say(fmt::format("{}, {}; measured {} by commit {}: {}",
                      source.device.empty() ? "unknown device" : source.device,
                      source.cpu.empty() ? "unknown CPU" : source.cpu,
                      source.started.empty() ? "at an unknown time" : source.started,
                      source.commit.empty() ? "unknown" : source.commit,
                      common::printable(source.file.string())));
  if (!source.complete)
    out.say("Note: the run did not come to its end; this is from its first part.");
  if (const auto in_parts = common::in_parts_text(source.parts))
    out.say(fmt::format("Note: the run was {}.", *in_parts));
  if (source.confidential)
    out.say(
        "Note: confidential computing was on in the device: each byte between host and device was "
        "encrypted and copied once more.");
  if (ignored.failed > 0)
    out.say(fmt::format("Note: {} ignored: the benchmark failed.", counted(ignored.failed, "row")));
  if (ignored.unusable > 0)
    out.say(fmt::format("Note: {} ignored: no positive time and size in it.",
                        counted(ignored.unusable, "row")));
}

void add_origin(exports::answer& out, const measurements& measured) {
  auto ignored = measured.ignored_transfers;
  add_origin(out, measured, ignored += measured.ignored_others);
}

const program_calls* calls_of(const ranking& ranked, const question& question,
                              const calls_by_strategy& calls,
                              const std::optional<std::string>& job) {
  if (ranked.strategies.empty() || reason_not_to_recommend(ranked)) return nullptr;
  const auto& name = recommended(ranked).name;
  auto known = calls.find({name + "/" + job.value_or(""), question.direction});
  if (known == calls.end()) known = calls.find({name, question.direction});
  return known == calls.end() || known->second.lines.empty() ? nullptr : &known->second;
}

std::string in_one_line(std::string lines) {
  std::ranges::replace(lines, '\n', ' ');
  return lines;
}

void add_note_on_launches(exports::answer& out, const program_calls& calls) {
  constexpr const char* page = "(docs/fast_paths/company.md)";
  if (calls.page_locks)
    out.say(fmt::format(
        "Kernel launches of other threads wait during cudaHostRegister, cudaHostUnregister and "
        "cudaMemcpy {}.",
        page));
  else if (calls.holds_launches)
    out.say(fmt::format(
        "Kernel launches of other threads wait while cudaMemcpy copies. If there are any, call "
        "cudaMemcpyAsync and cudaStreamSynchronize instead {}.",
        page));
}

void add_left_out(exports::answer& out, const std::vector<left_out>& all) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const auto& strategy : all) by_reason[strategy.reason].push_back(strategy.name);
  for (const auto& [reason, names] : by_reason)
    out.say(fmt::format("Left out: {} ({}).", fmt::join(names, ", "), reason));
}

void add_allocation(exports::answer& out, const cost_model& model) {
  if (!model.measured().allocation)
    out.say(
        "Note: allocating and freeing were not measured in this file: how often memory is used "
        "again (--reuse) makes no difference, all totals go without.");
}

void add_missing(exports::answer& out, const cost_model& model,
                 const std::vector<question>& questions) {
  const auto note = [&](const char* subject) {
    out.say(fmt::format("Note: {} not measured in this file, all totals go without.", subject));
  };
  const auto any_has = [&](double question::*accesses) {
    return std::ranges::any_of(questions,
                               [accesses](const auto& question) { return question.*accesses > 0; });
  };
  if (!model.measured().cpu_writes && any_has(&question::cpu_writes)) note("CPU writes were");
  if (!model.measured().cpu_reads && any_has(&question::cpu_reads)) note("CPU reads were");
}

}  // namespace bench_transfers::advice
