#include "bench/fleet/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "bench/cli/run.hpp"
#include "bench/fleet/gather_sweep.hpp"
#include "bench/fleet/rank_identity.hpp"
#include "bench/fleet/rank_run.hpp"
#include "bench/harness/interruption.hpp"
#include "src/common/program.hpp"
#include "src/fleet/mpi/gathering.hpp"
#include "src/fleet/mpi/mpi_ranks.hpp"

namespace bench_transfers::bench {
namespace {

namespace fs = std::filesystem;

/// Null: without MPI.
std::unique_ptr<fleet::mpi_ranks> start_mpi(const fleet_request& request) {
  if (request.mpi == "none") return nullptr;
  const bool is_chosen = request.mpi != "auto";
  const auto told = rank_by_launcher(request);
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
class mpi_measurement {
 public:
  mpi_measurement(settings settings, const fleet_request& request, bool unbound,
                  std::unique_ptr<fleet::mpi_ranks> mpi)
      : settings_(std::move(settings)),
        request_(request),
        sweep_{.folder = request.out,
               .began = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()),
               .only_lists = settings_.list_benchmarks},
        unbound_(unbound),
        mpi_(std::move(mpi)) {
    failure_.note([&] { self_ = identity_of(request_, mpi_.get()); });
    others_.emplace(
        *mpi_, fleet::gathering::description{.wait = std::chrono::duration<double>(request_.wait_s),
                                             .ranks_of_node = self_ ? self_->local_size : 1,
                                             .interrupted = [] { return interruption() != 0; }});
  }

  /// Throws what this rank has failed with.
  exit_code run() {
    // First, so that it is not there if the job is aborted.
    if (mpi_->rank() == 0) failure_.note([&] { put_earlier_sweep_aside(sweep_); });
    others_->begin();  // all nodes at one time
    if (self_) failure_.note([&] { measure(); });
    failure_.note([&] { gather(); });
    failure_.note([&] { have_all_ended_ = others_->end(); });
    stop_watching_for_interruption();
    if (!have_all_ended_) end_job();
    mpi_.reset();
    failure_.rethrow();
    return code_;
  }

 private:
  void measure() {
    own_.emplace(settings_, request_, *self_, unbound_);
    code_ = own_->measure();
  }

  void gather() { gather_sweep(*others_, *mpi_, sweep_, own_ ? own_->result() : rank_result()); }

  void tell_of_silence(fleet::gathering::seconds silence) const {
    const auto file = own_ ? own_->result().file : fs::path();
    common::complain("bench_transfers",
                     fmt::format("rank {}: rank 0 has given no answer for {:.3g} s: ending the "
                                 "job; {}",
                                 mpi_->rank(), silence.count(),
                                 file.empty() ? "this rank has no results"
                                              : "this rank's results are in " + file.string()));
  }

  /// MPI would wait for the ranks that are missing.
  void end_job() {
    failure_.complain();
    if (const auto& silence = others_->silence_of_rank_0()) tell_of_silence(*silence);
    std::cout.flush();
    std::fflush(nullptr);
    // A launcher forwards what is said from time to time, and no more once a job is aborted.
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    mpi_->abort(static_cast<int>(std::max(code_, exit_code::something_failed)));
  }

  settings settings_;
  const fleet_request& request_;
  sweep_request sweep_;
  bool unbound_;
  std::unique_ptr<fleet::mpi_ranks> mpi_;
  first_failure failure_;
  std::optional<rank_identity> self_;
  std::optional<fleet::gathering> others_;
  std::optional<rank_run> own_;
  exit_code code_ = exit_code::something_failed;
  bool have_all_ended_ = false;
};

}  // namespace

exit_code measure_in_fleet(settings settings, const fleet_request& request) {
  const bool unbound = unbind_if_too_few(settings);
  if (auto mpi = start_mpi(request))
    return mpi_measurement(std::move(settings), request, unbound, std::move(mpi)).run();
  const auto self = identity_of(request, nullptr);
  return rank_run(std::move(settings), request, self, unbound).measure();
}

}  // namespace bench_transfers::bench
