#include "bench/cli/fleet.hpp"

#include <fmt/core.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "bench/cli/choose_device.hpp"
#include "bench/cli/earlier_files.hpp"
#include "bench/cli/run.hpp"
#include "bench/harness/interruption.hpp"
#include "bench/record/fleet_facts.hpp"
#include "src/common/command_line.hpp"
#include "src/common/packed.hpp"
#include "src/common/printable.hpp"
#include "src/common/program.hpp"
#include "src/common/read_text.hpp"
#include "src/fleet/io/collect.hpp"
#include "src/fleet/io/sweep_file.hpp"
#include "src/fleet/launcher/rank.hpp"
#include "src/fleet/mpi/gathering.hpp"
#include "src/fleet/mpi/mpi_ranks.hpp"
#include "src/fleet/ranks/node_ranks.hpp"

namespace bench_transfers::bench {
namespace {

namespace fs = std::filesystem;

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

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

/// Which process of many this is, as far as anything says it.
struct identity {
  fleet::launched_rank told;
  bool has_rank = false;
  std::string sweep;
  std::size_t local_rank = 0, local_size = 1;
};

/// The ranks of the node, by the launcher or the command line.
void add_local_rank(identity& self, const fleet_request& request) {
  auto& told = self.told;
  if (request.ranks_per_node) told.local_size = request.ranks_per_node;
  if (!self.has_rank) return;
  if (!told.local_size && (told.world_size == 1U || !told.local_rank)) told.local_size = 1;
  if (!told.local_size)
    throw common::usage_error(fmt::format(
        "{} does not say how many ranks this node has: --ranks-per-node=N", told.launcher));
  self.local_size = std::max<std::size_t>(*told.local_size, 1);
  if (!told.local_rank) told.local_rank = told.rank % self.local_size;
  self.local_rank = *told.local_rank;
  if (self.local_rank >= self.local_size)
    throw common::usage_error(fmt::format("local rank {} is beyond --ranks-per-node={}",
                                          self.local_rank, self.local_size));
}

std::optional<fleet::launched_rank> rank_by_launcher() {
  try {
    return fleet::rank_of(fleet::own_environment());
  } catch (const fleet::bad_rank& error) {
    throw common::usage_error(error.what());
  }
}

/// What MPI says is not to be doubted, but it must be the MPI that has started the ranks.
void add_mpi_rank(identity& self, const fleet::mpi_ranks& mpi) {
  if (mpi.size() == 1 && self.told.world_size.value_or(1) > 1)
    throw common::usage_error(
        fmt::format("MPI sees one rank, and {} has started {}: --mpi names a plugin of another MPI",
                    self.told.launcher, *self.told.world_size));
  if (self.told.launcher.empty()) self.told.launcher = "mpi";
  self.told.rank = mpi.rank();
  self.told.world_size = mpi.size();
  self.has_rank = true;
}

identity identity_of(const fleet_request& request, const fleet::mpi_ranks* mpi) {
  const auto told = rank_by_launcher();
  identity self;
  self.has_rank = told.has_value();
  self.told = told.value_or(fleet::launched_rank{});
  if (mpi) add_mpi_rank(self, *mpi);
  add_local_rank(self, request);
  if (self.told.node.empty()) self.told.node = common::printable(host_name());
  if (!request.rack.empty()) self.told.rack = common::printable(request.rack);
  const auto usual = fleet::own_environment()("TRANSFERS_SWEEP").value_or(self.told.job);
  self.sweep = common::printable(request.sweep.empty() ? usual : request.sweep);
  return self;
}

/// Null: without MPI.
std::unique_ptr<fleet::mpi_ranks> start_mpi(const fleet_request& request) {
  if (request.mpi == "none") return nullptr;
  const bool is_chosen = request.mpi != "auto";
  const auto told = rank_by_launcher();
  const auto plugin =
      is_chosen ? fs::path(request.mpi) : fleet::usual_mpi_plugin(told ? told->launcher : "");
  if (plugin.empty()) return nullptr;
  try {
    return std::make_unique<fleet::mpi_ranks>(plugin);
  } catch (const fleet::mpi_error& error) {
    if (is_chosen) throw common::usage_error(error.what());
    if (told->rank == 0)
      common::complain("bench_transfers",
                       fmt::format("going on without MPI: {}; collect the files afterwards "
                                   "(fleet_transfers collect)",
                                   error.what()));
    return nullptr;
  }
}

/// What tells the device from the others of its node.
std::string name_of_device(const devices_choice& devices) {
  const auto& cuda = devices.chosen.front()->description().cuda;
  return cuda ? cuda->uuid : devices.ids.front();
}

/// The ranks of the node; null where there is one.
std::unique_ptr<fleet::node_ranks> join_ranks(const identity& self, const fleet_request& request,
                                              const std::string& device, std::uint64_t seed) {
  if (self.local_size < 2) return nullptr;
  std::error_code error;
  const auto folder = fs::weakly_canonical(request.out, error);
  return std::make_unique<fleet::node_ranks>(fleet::node_ranks::description{
      .job = fmt::format("{}\n{}\n{}\n{}\n{}", self.told.launcher, self.told.job, self.sweep,
                         self.told.node, (error ? request.out : folder).string()),
      .rank = self.local_rank,
      .count = self.local_size,
      .device = device,
      .seed = seed,
      .wait = std::chrono::duration<double>(request.wait_s),
      .interrupted = [] { return interruption() != 0; }});
}

/// Once for a node.
void tell_who_is_missing(const fleet::node_ranks& ranks, const identity& self) {
  if (self.local_rank == 0 && ranks.present() < self.local_size)
    common::complain("bench_transfers",
                     fmt::format("{} of {} ranks on {} are there: going on "
                                 "without the others",
                                 ranks.present(), self.local_size, self.told.node));
}

void require_own_device(const fleet::node_ranks& ranks, const identity& self,
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

/// The ranks may be bound to processors near their GPUs, but to enough of them. Returns whether
/// this one has been unbound. Called before anything starts threads, which inherit it.
bool unbind_if_too_few() {
  return fleet::own_processors().count() < processors_of_rank && fleet::unbind();
}

/// The same if the processors of all of them together are too few.
bool unbind_if_too_few(fleet::node_ranks& ranks) {
  const bool are_too_few = ranks.processors() < processors_of_rank * ranks.present();
  const bool unbound = are_too_few && fleet::unbind();
  ranks.say_processors();
  ranks.wait_until_said();
  return unbound;
}

std::optional<common::message> too_few_processors(const fleet::node_ranks* ranks) {
  if (!ranks) return std::nullopt;
  const auto needed = processors_of_rank * ranks->present();
  const auto usable = ranks->processors();
  if (usable >= needed) return std::nullopt;
  return common::message{
      "too_few_processors",
      {{"usable", usable}, {"needed", needed}},
      fmt::format("the {} processes of this node may use {} processors, and copies of all of them "
                  "at once need {}",
                  ranks->present(), usable, needed)};
}

fs::path folder_of_node(const fs::path& folder, const identity& self) {
  return folder / as_file_name(self.told.node);
}

fs::path result_file_of(const fs::path& folder, const identity& self, const std::string& device) {
  const auto of_node = folder_of_node(folder, self);
  std::error_code error;
  fs::create_directories(of_node, error);
  if (error)
    throw common::usage_error(
        fmt::format("cannot write {}: {}", common::printable(of_node.string()), error.message()));
  return of_node / (as_file_name(device) + ".json");
}

/// A rank's result file on its way to rank 0.
std::string as_bytes(const fs::path& file) {
  std::error_code error;
  if (file.empty() || !fs::exists(file, error)) return {};
  const nlohmann::json header{file.string(), file.parent_path().filename().string()};
  return header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n" +
         common::packed(common::read_text(file));
}

fleet::found_file from_bytes(const std::string& bytes) {
  const auto end = bytes.find('\n');
  const auto header = nlohmann::json::parse(bytes.substr(0, end));
  return {header.at(0).get<std::string>(), header.at(1).get<std::string>(), bytes.substr(end + 1)};
}

/// Rank 0 writes what `fleet_transfers collect` would write.
void gather_sweep(fleet::gathering& others, const fleet::channel& ranks, const fs::path& folder,
                  const fs::path& own_file, bool is_whole) {
  const auto results = others.gather(as_bytes(own_file), is_whole);
  if (ranks.rank() > 0) return;
  if (std::ranges::all_of(results, [](const auto& entry) { return entry.second.empty(); }))
    return common::complain("bench_transfers", "no rank has left a result: there is no sweep");
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    if (!results.contains(rank))
      common::complain("bench_transfers",
                       fmt::format("rank {} gives no answer: going on without it", rank));
  fleet::found_files found;
  for (const auto& [rank, bytes] : results)
    if (!bytes.empty()) found.files.push_back(from_bytes(bytes));
  std::ranges::sort(found.files, {}, &fleet::found_file::path);
  const auto sweep = fleet::collect(std::move(found));
  const auto file = folder / "sweep.json.gz";
  fleet::write_sweep(file, sweep);
  common::print(fmt::format("{} of {} ranks in {}\n", sweep.gpus.size(), ranks.size(),
                            common::printable(file.string())));
}

/// Measures the GPU of this rank. `file` becomes the result's as soon as it has a name.
int measure_own_gpu(settings settings, const fleet_request& request, const identity& self,
                    bool unbound_at_start, fs::path& file) {
  run_request run{.devices = {},
                  .fleet = fleet_facts(self.told, self.has_rank, self.sweep),
                  .quiet = self.has_rank && self.told.rank > 0};
  const auto remove_earlier = [&](bool of_all_ranks) {
    if (!settings.list_benchmarks)
      remove_earlier_files(folder_of_node(request.out, self), run.fleet, of_all_ranks);
  };
  remove_earlier(false);
  try {
    run.devices = choose_device_of_rank(settings.device, self.local_rank);
  } catch (const no_device& error) {
    common::complain("bench_transfers", error.what());
    return nothing_ran;
  }
  const auto device = name_of_device(run.devices);
  const auto path = result_file_of(request.out, self, device);
  settings.out = path.string();
  const auto ranks = join_ranks(self, request, device, settings.seed);
  if (ranks) {
    tell_who_is_missing(*ranks, self);
    require_own_device(*ranks, self, device);
    // Those of ranks that do not come as well. Nobody writes before all have said their processors.
    if (self.local_rank == 0) remove_earlier(true);
    settings.seed = ranks->seed();
  }
  const bool unbound = (ranks && unbind_if_too_few(*ranks)) || unbound_at_start;
  if (unbound) run.fleet["unbound"] = true;
  if (unbound && self.told.rank == 0)
    common::complain("bench_transfers",
                     "the launcher has bound the ranks to too few processors: they use all that "
                     "they may");
  run.too_few_processors = too_few_processors(ranks.get());
  run.ranks = ranks.get();
  file = path;  // from now on nobody else writes it
  if (!self.has_rank)
    common::complain("bench_transfers",
                     fmt::format("no launcher has told a rank: {} is measured as the only GPU of "
                                 "this sweep",
                                 device));
  const int code = measure(settings, std::move(run));
  const auto name = common::printable(path.string());
  common::print(self.has_rank
                    ? fmt::format("rank {} on {}: {}\n", self.told.rank, self.told.node, name)
                    : fmt::format("{}\n", name));
  return code;
}

/// The first exception of several pieces of work.
class first_failure {
 public:
  template <class Work>
  void note(Work&& work) {
    try {
      work();
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

  void complain() const {
    try {
      rethrow();
    } catch (const std::exception& error) {
      common::complain("bench_transfers", error.what());
    }
  }

 private:
  std::exception_ptr failure_;
};

/// A rank that fails costs itself alone: the others wait for its answer, but not for ever.
int measure_with_mpi(settings settings, const fleet_request& request, bool unbound,
                     std::unique_ptr<fleet::mpi_ranks> mpi) {
  int code = something_failed;
  first_failure failure;
  std::optional<identity> self;
  failure.note([&] { self = identity_of(request, mpi.get()); });
  fleet::gathering others(*mpi, {.wait = std::chrono::duration<double>(request.wait_s),
                                 .ranks_of_node = self ? self->local_size : 1,
                                 .interrupted = [] { return interruption() != 0; }});
  others.begin();  // all nodes at one time
  fs::path file;
  if (self)
    failure.note(
        [&] { code = measure_own_gpu(std::move(settings), request, *self, unbound, file); });
  failure.note([&] { gather_sweep(others, *mpi, request.out, file, code == all_ran); });
  bool have_all_ended = false;
  failure.note([&] { have_all_ended = others.end(); });
  stop_watching_for_interruption();
  if (!have_all_ended) {
    failure.complain();
    std::cout.flush();
    std::fflush(nullptr);
    mpi->abort(std::max<int>(code, something_failed));
  }
  mpi.reset();
  failure.rethrow();
  return code;
}

}  // namespace

bool is_fleet_command(std::span<const char* const> arguments) {
  return arguments.size() > 1 && std::string_view(arguments[1]) == "fleet";
}

std::vector<const char*> without_command(std::span<const char* const> arguments) {
  std::vector<const char*> others(arguments.begin(), arguments.end());
  others.erase(others.begin() + 1);
  return others;
}

std::string fleet_description() {
  return "Measures one GPU as one of many processes: srun, mpirun, flux run, torchrun or a "
         "Kubernetes Job starts one for each GPU.";
}

CLI::App* add_fleet(CLI::App& app) {
  return app.add_subcommand("fleet", "Measure one GPU as one of many processes (fleet --help).");
}

void add_fleet_options(CLI::App& app, fleet_request& request) {
  app.add_option("--sweep", request.sweep,
                 "name of the sweep (default: TRANSFERS_SWEEP, or the launcher's job)")
      ->type_name("ID");
  app.add_option("--rack", request.rack, "name of the node's rack")->type_name("NAME");
  app.add_option("--mpi", request.mpi,
                 "auto (the default: mpirun's, if its plugin is there), none, or a plugin")
      ->type_name("FILE");
  app.add_option("--wait", request.wait_s,
                 "for another rank of the node, before going on without it (default: 60)")
      ->check(CLI::Range(0.1, 86400.0))
      ->type_name("SECONDS");
  app.add_option("--ranks-per-node", request.ranks_per_node, "where the launcher does not say it")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
}

void check_fleet_request(const fleet_request& request, const settings& settings) {
  if (request.out.empty()) throw common::usage_error("--out is required: a folder");
  if (request.out == "-") throw common::usage_error("--out is a folder, not standard output");
  if (settings.out_format != "json")
    throw common::usage_error("fleet writes JSON: --benchmark_out_format does not apply");
}

int measure_in_fleet(settings settings, const fleet_request& request) {
  const bool unbound = unbind_if_too_few();
  if (auto mpi = start_mpi(request))
    return measure_with_mpi(std::move(settings), request, unbound, std::move(mpi));
  fs::path file;
  return measure_own_gpu(std::move(settings), request, identity_of(request, nullptr), unbound,
                         file);
}

}  // namespace bench_transfers::bench
