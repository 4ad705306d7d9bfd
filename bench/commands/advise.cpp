#include "bench/commands/advise.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "bench/cli/run.hpp"
#include "src/command/command.hpp"
#include "src/command/options.hpp"
#include "src/common/number.hpp"
#include "src/common/program.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"

namespace bench_transfers::bench {

advice::question question_for(const advice_request& request, result_file::direction towards) {
  auto question = advice::usual_question(towards);
  question.reuse = static_cast<double>(request.reuses.front());
  // Who has written it is said, and no part of the copy.
  if (result_file::is_written(request.lines)) question.cpu_writes = 0;
  question.cpu_writes = request.cpu_writes.value_or(question.cpu_writes);
  question.cpu_reads = request.cpu_reads.value_or(question.cpu_reads);
  question.lines = request.lines;
  return question;
}

namespace {

constexpr std::int64_t most_reuse = 1'000'000'000'000;
constexpr double most_accesses = 1'000'000;

std::int64_t parse_reuse(const std::string& text) {
  const auto reuse = common::number_from<std::int64_t>(text);
  if (reuse && *reuse >= 1 && *reuse <= most_reuse) return *reuse;
  throw common::usage_error(
      fmt::format("bad --reuse '{}': a whole number from 1 to {}", text, most_reuse));
}

std::vector<std::int64_t> parse_reuses(const std::string& text) {
  std::vector<std::int64_t> reuses;
  for (const auto& part : common::split(text)) reuses.push_back(parse_reuse(part));
  return reuses;
}

double parse_accesses(const std::string& option, const std::string& text) {
  double times = 0;
  if (CLI::detail::lexical_cast(text, times) && times >= 0 && times <= most_accesses) return times;
  throw common::usage_error(
      fmt::format("bad {} '{}': a number from 0 to {}", option, text, most_accesses));
}

using result_file::cache_state;

/// What a user says of the threads that write, or that will read.
struct named_writers {
  const char* word;
  cache_state state;
};
constexpr std::array writers{named_writers{"here", cache_state::written_here},
                             named_writers{"one", cache_state::written_by_one},
                             named_writers{"one-awake", cache_state::written_by_one_awake},
                             named_writers{"all", cache_state::written_by_all},
                             named_writers{"all-awake", cache_state::written_by_all_awake},
                             named_writers{"streamed", cache_state::streamed}};

std::vector<std::string> words_for_writers() {
  std::vector<std::string> words;
  for (const auto& named : writers) words.emplace_back(named.word);
  return words;
}

cache_state parse_writers(const std::string& text) {
  const auto* const named = std::ranges::find_if(writers, [&](const named_writers& each) {
    return each.word == text || result_file::to_string(each.state) == text;
  });
  if (named == writers.end())
    throw common::usage_error(fmt::format("bad --written-by '{}': {}",
                                          common::printable_in_short(text),
                                          fmt::join(words_for_writers(), ", ")));
  return named->state;
}

std::string advise_footer() {
  return "Predicts (allocate + free) / reuse + writes x fill + transfer + reads x read-back from\n"
         "what bench_transfers has measured; docs/ADVISE.md has the model and its error.\n"
         "With --for: by which of the ways in the file to do another transfer: file, overlap,\n"
         "duplex, scattered_copy, batched_copy, parameters, interference, wait, or a role of\n"
         "your own.\n"
         "Of copies, --bytes, --direction and --reuse take several values: --bytes=1KiB:1MiB:x4\n"
         "--direction=h2d,d2h --reuse=1,100.\n"
         "With --host-map and --devices: how to copy to several devices, by a map of the host.\n"
         "Exit codes: 0 answered, 1 the answer cannot be written, 2 usage or unusable file,\n"
         "3 nothing in the file can be ranked, or it cannot tell.";
}

struct mode_of_advice {
  check_of_advice& check;
  answer_of_advice& answer;
};

mode_of_advice mode_of(const advice_request& request, bool is_at_once) {
  if (is_at_once) return {check_copies_at_once, advise_copies_at_once};
  if (request.role != "copy") return {check_role, advise_role};
  return {check_copies, advise_copies};
}

/// The option whose value it may be: "--bytes" of a size.
std::optional<std::string> option_of_value(const std::string& value) {
  if (value == "h2d" || value == "d2h") return "--direction";
  try {
    static_cast<void>(common::parse_size(value));
    return "--bytes";
  } catch (const common::usage_error&) {
    return std::nullopt;
  }
}

void refuse_values_of_no_option(const std::vector<std::string>& arguments) {
  std::vector<std::string> values, meant;
  for (const auto& argument : arguments)
    if (const auto option = option_of_value(argument)) {
      values.push_back(argument);
      meant.push_back(fmt::format("{}={}", *option, argument));
    }
  if (meant.empty()) return;
  throw common::usage_error(
      fmt::format("unknown argument '{}': did you mean {}? (see advise --help)",
                  common::printable_in_short(values.front()), fmt::join(meant, " ")));
}

bool advise(const advice_request& request) {
  written_answer answered;
  const auto finish = [&] {
    common::write_outputs(answered.files, [&] { return exports::text_of(answered.text); });
  };
  bool is_known = false;
  try {
    is_known = mode_of(request, !request.host_map.empty()).answer(answered, request);
  } catch (const nothing_to_rank&) {
    finish();  // what has been answered before
    throw;
  }
  finish();
  return is_known;
}

/// Answers from a result file or a map.
class advise_command final : public commands::command {
 public:
  explicit advise_command(CLI::App& options) {
    options.footer(advise_footer());
    add_transfer(options);
    add_use_of_memory(options);
    add_files(options);
    add_several_devices(options);
    options.add_flag("--check", request_.check,
                     "predict each size from the others, to check the model");
    options.add_flag("--allow-host", request_.allow_host, "answer from a file made without a GPU");
  }

  void explain(const std::vector<std::string>& arguments) const override {
    refuse_values_of_no_option(arguments);
  }
  void check(const CLI::App& given) const override {
    const bool is_at_once = given.count("--host-map") + given.count("--devices") > 0;
    mode_of(request_, is_at_once).check(request_, given);
  }

  [[nodiscard]] common::exit_code run() const override {
    try {
      return advise(request_) ? exit_code::done : exit_code::nothing_ran;
    } catch (const nothing_to_rank& error) {
      common::complain("bench_transfers", error.what());
      return exit_code::nothing_ran;
    }
  }

  [[nodiscard]] commands::offers offered() const override {
    return {{"--direction", {"h2d", "d2h", "both"}}, {"--written-by", words_for_writers()}};
  }

 private:
  void add_transfer(CLI::App& options) {
    options
        .add_option("--for", request_.role,
                    "role of the benchmarks: copy (default), file, overlap, duplex …")
        ->type_name("ROLE");
    options.add_option("--bytes", request_.bytes, "size of one transfer, such as 64MiB")
        ->type_name("SIZE");
    options
        .add_option("--direction", request_.direction,
                    "h2d or d2h; with --devices or --for also both; with --for also none")
        ->type_name("DIRECTION");
  }

  void add_use_of_memory(CLI::App& options) {
    options
        .add_option_function<std::string>(
            "--reuse", [this](const std::string& text) { request_.reuses = parse_reuses(text); },
            "transfers with the same host memory (default: 1)")
        ->type_name("N");
    add_accesses(options, "--cpu-writes", request_.cpu_writes,
                 "CPU writes per transfer (default: 1 for h2d and both, 0 otherwise)");
    add_accesses(options, "--cpu-reads", request_.cpu_reads,
                 "CPU reads per transfer (default: 1 for d2h and both, 0 otherwise)");
    options
        .add_option_function<std::string>(
            "--written-by", [this](const std::string& who) { request_.lines = parse_writers(who); },
            "who writes the memory before a copy: here, one, all (asleep since),\n"
            "one-awake, all-awake, or streamed (non-temporal stores)")
        ->type_name("WHO");
  }

  static void add_accesses(CLI::App& options, const char* name, std::optional<double>& value,
                           const char* description) {
    options
        .add_option_function<std::string>(
            name, [name, &value](const std::string& text) { value = parse_accesses(name, text); },
            description)
        ->type_name("N");
  }

  void add_files(CLI::App& options) {
    options
        .add_option("--from", request_.source,
                    "result file (default: the newest here or below results/local)")
        ->type_name("FILE");
    options
        .add_option("--of-device", request_.device,
                    "device of the run, such as cuda:1 (default: the first)")
        ->type_name("DEVICE");
    commands::add_json(options, request_.json);
    options
        .add_option("--map", request_.map, "write the best strategy for each size and reuse count")
        ->type_name("FILE");
  }

  void add_several_devices(CLI::App& options) {
    options
        .add_option("--host-map", request_.host_map,
                    "map of a host, of `bench_transfers map`; needs --devices")
        ->type_name("FILE");
    options
        .add_option("--devices", request_.devices,
                    "copies to these at once: all, or some, such as cuda:0,2-3")
        ->type_name("DEVICES");
  }

  advice_request request_;
};

const commands::registration<advise_command> advising{
    "advise", "Rank the strategies for one use, from a result file."};

}  // namespace
}  // namespace bench_transfers::bench
