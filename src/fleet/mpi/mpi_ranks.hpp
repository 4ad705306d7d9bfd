#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "src/fleet/mpi/channel.hpp"

namespace bench_transfers::fleet {

/// A plugin cannot be used; what() is one line.
class mpi_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The ranks of an MPI job, by a plugin (plugin.h). For one thread.
class mpi_ranks : public channel {
 public:
  /// Loads the plugin and starts MPI. Throws mpi_error.
  explicit mpi_ranks(const std::filesystem::path& plugin);
  /// Ends MPI, or the whole job while an exception is under way: the other ranks would wait for
  /// ever.
  ~mpi_ranks() override;
  mpi_ranks(const mpi_ranks&) = delete;
  mpi_ranks& operator=(const mpi_ranks&) = delete;

  [[nodiscard]] std::size_t rank() const noexcept override;
  [[nodiscard]] std::size_t size() const noexcept override;
  // These throw mpi_error.
  void send(std::size_t rank, const std::string& bytes) override;
  [[nodiscard]] bool has_sent() override;
  [[nodiscard]] std::optional<message> receive() override;

  /// Ends all ranks, and this one.
  void abort(int code) noexcept;

 private:
  struct plugin;
  std::unique_ptr<plugin> plugin_;
  int uncaught_;
};

/// The plugin for the MPI that started this process, by what its launcher says: beside the program,
/// as in a build and the bundle, or where it is installed. Empty: there is none, or no mpirun has
/// started the process.
std::filesystem::path usual_mpi_plugin(const std::string& launcher);
/// Likewise, of a program in the folder `beside`; of one in bin/ also ../lib/bench_transfers/mpi.
std::filesystem::path usual_mpi_plugin(const std::string& launcher,
                                       const std::filesystem::path& beside);

}  // namespace bench_transfers::fleet
