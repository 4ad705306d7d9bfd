#include "src/fleet/mpi/mpi_ranks.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <exception>
#include <system_error>
#include <utility>

#include "src/common/text.hpp"
#include "src/common/trusted_path.hpp"
#include "src/fleet/mpi/plugin.h"

namespace bench_transfers::fleet {
namespace {

namespace fs = std::filesystem;

mpi_error unusable(const fs::path& plugin, const std::string& why) {
  return mpi_error(
      fmt::format("cannot use {}: {}", common::printable(plugin.string()), common::printable(why)));
}

std::string loader_error() {
  const char* const error = dlerror();
  return error ? error : "it cannot be loaded";
}

template <class Function>
Function* function_of(void* library, const fs::path& plugin, const char* name) {
  auto* const found = dlsym(library, name);
  if (!found) throw unusable(plugin, fmt::format("it has no {}", name));
  return reinterpret_cast<Function*>(found);
}

void require_success(int failed, const char* what) {
  if (failed != 0) throw mpi_error(fmt::format("MPI: {} failed", what));
}

/// An exception must not pass through C.
struct taking {
  message taken = {};
  std::exception_ptr failure = {};
};

void take_bytes(void* context, int rank, const void* data, std::uint64_t bytes) {
  auto& target = *static_cast<taking*>(context);
  try {
    target.taken.rank = static_cast<std::size_t>(rank);
    target.taken.bytes.assign(static_cast<const char*>(data), static_cast<std::size_t>(bytes));
  } catch (...) {
    target.failure = std::current_exception();
  }
}

}  // namespace

/// Stays loaded: an MPI library leaves threads and exit handlers behind.
struct mpi_ranks::plugin {
  explicit plugin(const fs::path& file) {
    // A bare name is looked for where the loader looks for all libraries.
    if (file.has_parent_path())
      if (const auto why = common::why_untrusted(file)) throw unusable(file, *why);
    // Components that an MPI library loads itself look for its symbols among the global ones.
    auto* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!library) throw unusable(file, loader_error());
    const auto find = [&]<class Function>(Function*& function, const char* name) {
      function = function_of<Function>(library, file, name);
    };
    decltype(bench_transfers_mpi_version)* version = nullptr;
    find(version, "bench_transfers_mpi_version");
    if (version() != BENCH_TRANSFERS_MPI_VERSION)
      throw unusable(file, fmt::format("it is of version {}, and {} is needed", version(),
                                       BENCH_TRANSFERS_MPI_VERSION));
    find(start, "bench_transfers_mpi_start");
    find(send, "bench_transfers_mpi_send");
    find(sending, "bench_transfers_mpi_sending");
    find(receive, "bench_transfers_mpi_receive");
    find(abort, "bench_transfers_mpi_abort");
    find(end, "bench_transfers_mpi_end");
    require_success(start(&rank, &size), "MPI_Init");
  }

  decltype(bench_transfers_mpi_start)* start = nullptr;
  decltype(bench_transfers_mpi_send)* send = nullptr;
  decltype(bench_transfers_mpi_sending)* sending = nullptr;
  decltype(bench_transfers_mpi_receive)* receive = nullptr;
  decltype(bench_transfers_mpi_abort)* abort = nullptr;
  decltype(bench_transfers_mpi_end)* end = nullptr;
  int rank = 0, size = 1;
};

mpi_ranks::mpi_ranks(const fs::path& file)
    : plugin_(std::make_unique<plugin>(file)), uncaught_(std::uncaught_exceptions()) {}

mpi_ranks::~mpi_ranks() {
  if (std::uncaught_exceptions() > uncaught_) plugin_->abort(1);
  plugin_->end();
}

std::size_t mpi_ranks::rank() const noexcept { return static_cast<std::size_t>(plugin_->rank); }
std::size_t mpi_ranks::size() const noexcept { return static_cast<std::size_t>(plugin_->size); }

void mpi_ranks::send(std::size_t rank, const std::string& bytes) {
  require_success(plugin_->send(static_cast<int>(rank), bytes.data(), bytes.size()), "sending");
}

bool mpi_ranks::has_sent() {
  int messages = 0;
  require_success(plugin_->sending(&messages), "sending");
  return messages == 0;
}

std::optional<message> mpi_ranks::receive() {
  taking target;
  int came = 0;
  require_success(plugin_->receive(take_bytes, &target, &came), "receiving");
  if (target.failure) std::rethrow_exception(target.failure);
  return came != 0 ? std::optional(std::move(target.taken)) : std::nullopt;
}

void mpi_ranks::abort(int code) noexcept { plugin_->abort(code); }

fs::path usual_mpi_plugin(const std::string& launcher) {
  std::error_code error;
  const auto program = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : usual_mpi_plugin(launcher, program.parent_path());
}

fs::path usual_mpi_plugin(const std::string& launcher, const fs::path& beside) {
  const auto mpi = launcher == "open_mpi" ? "openmpi" : launcher == "mpich" ? "mpich" : "";
  if (!*mpi) return {};
  const auto name = fmt::format("libbench_transfers_mpi_{}.so", mpi);
  std::error_code error;
  if (fs::exists(beside / name, error)) return beside / name;
  // Of any other folder the one beside it may be another user's.
  if (beside.filename() != "bin") return {};
  const auto installed = beside.parent_path() / "lib/bench_transfers/mpi" / name;
  return fs::exists(installed, error) ? installed : fs::path();
}

}  // namespace bench_transfers::fleet
