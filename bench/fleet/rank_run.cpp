#include "bench/fleet/rank_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "bench/cli/choose_device.hpp"
#include "bench/harness/interruption.hpp"
#include "bench/record/fleet_facts.hpp"
#include "src/common/program.hpp"
#include "src/common/text.hpp"

namespace bench_transfers::bench {
namespace {

namespace fs = std::filesystem;

/// A name as part of a path: nothing in it leads elsewhere.
std::string as_file_name(std::string name) {
  constexpr std::size_t longest = 200;
  const auto is_harmless = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '-' || letter == '_' || letter == '.';
  };
  std::ranges::replace_if(
      name, [&](char letter) { return !is_harmless(letter); }, '_');
  name.resize(std::min(name.size(), longest));
  if (name.empty() || name.front() == '.') name.insert(0, "_");
  return name;
}

/// What tells the device from the others of its node.
std::string name_of_device(const devices_choice& devices) {
  const auto& cuda = devices.chosen.front()->description().cuda;
  return cuda ? cuda->uuid : devices.ids.front();
}

/// With the rank, if it has one.
std::string named(const rank_identity& self, const std::string& text) {
  return self.has_rank ? fmt::format("{}: {}", name_of(self), text) : text;
}

/// What tells the ranks of a run from those of others.
std::string job_of(const rank_identity& self, const fs::path& out) {
  std::error_code error;
  const auto folder = fs::weakly_canonical(out, error);
  return fmt::format("{}\n{}\n{}\n{}\n{}", self.told.launcher, self.told.job, self.sweep,
                     self.told.node, (error ? out : folder).string());
}

/// Once for a node.
void tell_who_is_missing(const fleet::node_ranks& ranks, const rank_identity& self) {
  if (ranks.is_first() && ranks.present() < self.local_size)
    common::complain("bench_transfers",
                     fmt::format("{}: {} of {} ranks are there: going on without the others",
                                 self.told.node, ranks.present(), self.local_size));
}

void require_own_device(const fleet::node_ranks& ranks, const rank_identity& self,
                        const std::string& device) {
  if (const auto other = ranks.twin())
    throw common::usage_error(
        fmt::format("local ranks {} and {} of {} use the same device {}: start one process for "
                    "each GPU",
                    std::min(*other, self.local_rank), std::max(*other, self.local_rank),
                    self.told.node, device));
}

/// Each rank copies both ways at once, by two threads that must not wait for each other.
constexpr std::size_t processors_of_rank = 2;

std::optional<common::message> too_few_processors(const fleet::node_ranks& ranks) {
  const auto needed = processors_of_rank * ranks.present();
  const auto usable = ranks.processors();
  if (usable >= needed) return std::nullopt;
  return common::message{
      "too_few_processors",
      {{"usable", usable}, {"needed", needed}},
      fmt::format("the {} processes of this node may use {} processors, and copies of all of them "
                  "at once need {}",
                  ranks.present(), usable, needed)};
}

fs::path folder_of_node(const fs::path& folder, const rank_identity& self) {
  return folder / as_file_name(self.told.node);
}

void make_folder_of(const fs::path& file) {
  const auto folder = file.parent_path();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw common::usage_error(
        fmt::format("cannot write {}: {}", common::printable(folder.string()), error.message()));
}

constexpr auto another_run = "another run of this sweep is under way on this node";

/// Throws usage_error, which says what to do, if another process writes the file.
std::unique_ptr<claims::file_claim> claim_of(const fs::path& file, const rank_identity& self) {
  try {
    return std::make_unique<claims::file_claim>(file);
  } catch (const common::usage_error& error) {
    throw common::usage_error(fmt::format("{}: {}", error.what(),
                                          self.has_rank
                                              ? another_run
                                              : "start one process for each GPU, by a launcher "
                                                "that tells each its rank"));
  }
}

/// The others wait for this rank no longer, however it comes to its end.
struct leaving {
  void operator()(fleet::node_ranks* ranks) const { ranks->leave(); }
};

}  // namespace

bool unbind_if_too_few(const settings& settings) {
  return fleet::own_processors().count() < processors_of_rank &&
         copies_both_ways_with_ranks(settings) && fleet::unbind();
}

rank_run::rank_run(settings settings, const fleet_request& request, const rank_identity& self,
                   bool unbound)
    : settings_(std::move(settings)),
      request_(request),
      self_(self),
      unbound_(unbound),
      facts_(fleet_facts(self.told, self.has_rank, self.sweep)),
      run_{.devices = {},
           .fleet = facts_,
           .quiet = self.has_rank && self.told.rank > 0,
           .name = self.has_rank ? name_of(self) : ""} {}

exit_code rank_run::measure() {
  try {
    return measure_device();
  } catch (const common::usage_error& error) {
    throw common::usage_error(named(self_, error.what()));
  } catch (const std::exception& error) {
    throw std::runtime_error(named(self_, reason_of(error)));
  }
}

exit_code rank_run::measure_device() {
  earlier_files earlier(
      settings_.list_benchmarks ? fs::path() : folder_of_node(request_.out, self_), facts_);
  earlier.put_aside_own();
  if (!choose_device()) return exit_code::nothing_ran;
  choose_file(earlier);
  join_ranks(earlier);
  const std::unique_ptr<fleet::node_ranks, leaving> at_the_end(ranks_.get());
  share_processors();
  claim_file();
  const auto code = bench::measure(settings_, std::move(run_));
  is_whole_ = code == exit_code::done;
  say_where();
  return code;
}

bool rank_run::choose_device() {
  try {
    run_.devices = choose_device_of_rank(settings_.device, self_.local_rank);
  } catch (const no_device& error) {
    common::complain("bench_transfers", named(self_, error.what()));
    return false;
  }
  device_ = name_of_device(run_.devices);
  return true;
}

/// Two nodes of one name, each with a host device, lose nothing. A GPU has a name of its own.
void rank_run::choose_file(earlier_files& earlier) {
  const auto name = as_file_name(device_);
  const auto folder = folder_of_node(request_.out, self_);
  chosen_file_ = folder / (name + ".json");
  ranks_of_node own(self_.local_size);
  own[self_.local_rank] = self_.told.rank;
  const bool has_uuid = run_.devices.chosen.front()->description().cuda.has_value();
  if (!has_uuid && earlier.may_be_of_other_node(chosen_file_, own))
    chosen_file_ = folder / fmt::format("{}.rank{}.json", name, self_.told.rank);
  earlier.put_aside_replaced(chosen_file_);
}

void rank_run::meet_ranks(std::size_t put_aside) {
  try {
    ranks_ = std::make_unique<fleet::node_ranks>(fleet::node_ranks::description{
        .job = job_of(self_, request_.out),
        .rank = self_.local_rank,
        .count = self_.local_size,
        .device = device_,
        .seed = settings_.seed,
        .wait = std::chrono::duration<double>(request_.wait_s),
        .interrupted = [] { return interruption() != 0; },
        .world_rank = self_.told.rank,
        .put_aside = put_aside,
        .tell =
            [&node = self_.told.node](const fleet::lost_rank& lost) {
              common::complain("bench_transfers",
                               fmt::format("{}: {}", node, warning_of(lost).text));
            }});
  } catch (const fleet::rank_is_taken& error) {
    // Where the launcher does not tell jobs apart, another job has this rank's place.
    throw common::usage_error(fmt::format("{}: {}", another_run, error.what()));
  }
}

void rank_run::join_ranks(earlier_files& earlier) {
  if (self_.local_size < 2) {
    earlier.put_aside_nameless();
    return earlier.tell();
  }
  meet_ranks(earlier.put_aside());
  tell_who_is_missing(*ranks_, self_);
  require_own_device(*ranks_, self_, device_);
  // Also the files of ranks that do not come. Nobody writes before all have said their processors.
  if (ranks_->is_first())
    earlier.put_aside_all(ranks_->with_files_put_aside(), ranks_->world_ranks());
  else
    earlier.leave_telling_to_the_first();
  settings_.seed = ranks_->seed();
  turns_ = std::make_unique<rank_turns>(*ranks_);
  run_.ranks = turns_.get();
}

/// The ranks may be bound to processors near their GPUs, but to enough of them.
void rank_run::share_processors() {
  if (ranks_) {
    const bool are_too_few = ranks_->processors() < processors_of_rank * ranks_->present();
    if (are_too_few && copies_both_ways_with_ranks(settings_)) unbound_ |= fleet::unbind();
    ranks_->say_processors();
    ranks_->wait_until_said();
    run_.too_few_processors = too_few_processors(*ranks_);
  }
  if (!unbound_) return;
  run_.fleet["unbound"] = true;
  if (self_.told.rank == 0)
    common::complain("bench_transfers",
                     "the launcher has bound the ranks to too few processors: they use all that "
                     "they may");
}

void rank_run::claim_file() {
  if (settings_.list_benchmarks) return;
  make_folder_of(chosen_file_);
  claim_ = claim_of(chosen_file_, self_);
  run_.is_claimed = true;
  settings_.out = chosen_file_.string();
  file_ = chosen_file_;
  if (!self_.has_rank)
    common::complain("bench_transfers",
                     fmt::format("no launcher has told a rank: {} is measured as the only GPU of "
                                 "this sweep",
                                 device_));
}

void rank_run::say_where() const {
  std::error_code error;
  if (file_.empty() || !fs::exists(file_, error)) return;  // nothing may have been to run
  common::print(named(self_, common::printable(file_.string())) + "\n");
}

rank_result rank_run::result() const { return {file_, facts_, contribution()}; }

fleet::contribution rank_run::contribution() const {
  fleet::contribution own{.is_whole = is_whole_};
  if (!ranks_) return own;
  own.waited = ranks_->longest_silence();
  for (const auto& lost : ranks_->lost()) own.lost.push_back(lost.world_rank);
  return own;
}

}  // namespace bench_transfers::bench
