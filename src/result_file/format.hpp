#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

// What a result file says about its benchmarks, in types: docs/RESULT_FILE.md.

namespace bench_transfers::result_file {

/// context.transfers.format.
inline constexpr int newest_format = 2;

/// The direction in which a benchmark moves data.
enum class direction { none, h2d, d2h, both };

/// Who touched the lines of the host's memory last when an operation starts. A program's other
/// threads are awake while they wait for work by polling; asleep, their cores may save power.
enum class cache_state {
  warm,                  ///< as the previous operation left them
  cold,                  ///< flushed: none is in a cache
  written_here,          ///< written by the thread that copies
  written_by_one,        ///< by one other thread, which sleeps since then
  written_by_one_awake,  ///< by one other thread, which is awake
  written_by_all,        ///< by a thread for each core, of which the others sleep since then
  written_by_all_awake,  ///< likewise, and all are awake
  streamed,              ///< by such threads with non-temporal stores, which leave no lines behind
};

/// How the results of a role are shown.
enum class table {
  directions,  ///< a row for each strategy, h2d and d2h beside each other
  times,       ///< one time for each benchmark
  overlap,     ///< round trips in pieces against the plainest
  duplex,      ///< each direction with and without the other
  allocation,  ///< allocation and release of the same memory beside each other
  concurrent,  ///< several copies at once: their sum, and what each loses
  cpu_access,  ///< a row for each kind of memory, a column for each method
  floor        ///< one line
};

/// What a group of benchmarks measures.
struct role {
  std::string name;  ///< "copy"
  std::string
      description;  ///< a few words, "copies of one block between host memory and the device"
  table shown_in = table::times;
};

/// One of several copies that run at once. Device and direction tell it from the others.
struct flow {
  std::size_t device;  ///< index into the run's list of devices
  result_file::direction direction;
  std::optional<std::string> memory = {};  ///< kind of its host memory, where copies differ in it
  std::optional<unsigned> node = {};       ///< NUMA node of that memory, where one is chosen

  auto operator<=>(const flow&) const = default;
};

/// What the devices of several copies at once have in common.
enum class set_kind {
  all,     ///< they are all devices of the run
  node,    ///< all that are next to a NUMA node
  port,    ///< all that are below a PCIe port or a root complex
  pair,    ///< they are two
  listed,  ///< the command line names them
  ranks    ///< they are those of all processes of the node, of which this run has one
};

struct set_description {
  set_kind kind = set_kind::listed;
  std::optional<std::string> place = {};  ///< "1", "0000:c0:01.1", "pci0000:c0"; of node and port

  bool operator==(const set_description&) const = default;
};

/// What a benchmark is. benchmark_name() builds its name from these fields, and no code parses the
/// name.
struct benchmark {
  std::string name;                    ///< "copy/pinned/h2d/1MiB"
  std::string family;                  ///< "copy"
  std::string strategy;                ///< the name without variant, size and cache: "copy/pinned"
  std::optional<std::string> method;   ///< if a family has several: "staged"
  std::optional<std::string> setting;  ///< another choice: "4KiB_blocks"
  std::optional<std::string> memory;   ///< kind of host memory at the host's end: "pinned"
  std::optional<unsigned> node;  ///< NUMA node of that memory, where the benchmark chooses one
  std::optional<std::string> variant;  ///< "h2d", "float32"
  result_file::direction direction = direction::none;
  std::optional<std::size_t> size_bytes;  ///< asked for; a row's `bytes` is what was moved
  cache_state cache = cache_state::warm;
  std::vector<std::size_t> devices{0};      ///< indices into the run's list of devices
  std::vector<flow> flows = {};             ///< of a benchmark of several copies at once
  std::optional<set_description> set = {};  ///< likewise; none in files of old releases
  std::string role;                         ///< name of a role
  unsigned plainness = 0;                   ///< options beyond the plainest use; 0 is plainest
  bool in_place = false;   ///< a kernel accesses host memory itself; nothing is copied before
  bool emulation = false;  ///< stands in for missing memory or a missing device
};

/// The order of strategies by how plain they are, as in plots/model/plainness.py; less is plainer.
struct plainness {
  unsigned options = 0;     ///< as benchmark has it
  bool has_method = false;  ///< of equally plain strategies, those without come first
  unsigned calls = 2;       ///< then by the calls for their memory: 0 pageable, 1 pinned, 2 others

  friend auto operator<=>(const plainness&, const plainness&) = default;
};
plainness plainness_of(const benchmark& described);

/// "copy/pinned/h2d/1MiB", "…/cold" with cold caches; missing parts are left out, and so is a warm
/// cache. `device` is the
/// id of the benchmark's device if the run has several: "copy/pinned/h2d/1MiB@cuda:1".
std::string benchmark_name(const std::string& strategy, const std::optional<std::string>& variant,
                           std::optional<std::size_t> size_bytes, cache_state cache,
                           const std::optional<std::string>& device = {});

/// What disturbed a repetition from outside.
enum class disturbance {
  stopped,            ///< the process did not run for a while: SIGSTOP, a frozen control group
  fewer_cpus,         ///< it might use fewer CPUs than at the start of the run
  other_load,         ///< other processes kept its CPUs busy for more than a quarter of the time
  slow_round,         ///< the sentinels of its round were outside the run's control limits
  clock_stood_still,  ///< or went slower than the kernel's other clocks
  clock_jumped,       ///< or went faster than they, or back
};

/// How much disturbances are worth. Of the repetitions of a benchmark, those of the least degree
/// count; if that is `spoilt`, the benchmark has failed.
enum class disturbance_degree {
  none,
  slowed,  ///< true times, of a machine that was busy otherwise
  spoilt   ///< the times are not those of the operations
};
disturbance_degree degree_of(const std::set<disturbance>& disturbances);

enum class metric_kind { duration, rate, share, count, size };
enum class better { more, less };

/// What a counter of the rows means.
struct metric {
  std::string name;  ///< "over_plain_ns"
  std::string unit;  ///< "ns", "GB/s", "%", "B", "1"
  metric_kind kind = metric_kind::duration;
  std::optional<result_file::better> better;   ///< none: neither
  std::string description;                     ///< one line
  bool headline = false;                       ///< worth a column in a table
  std::optional<result_file::flow> flow = {};  ///< if it is one of several copies' at once
  bool alone = false;                          ///< of that copy without the others

  /// Whether it is a metric of this copy.
  [[nodiscard]] bool is_of(const result_file::flow& copy) const {
    return flow && flow->device == copy.device && flow->direction == copy.direction;
  }
};

// Words of the file. The …_from functions return nullopt for unknown words.
std::string to_string(direction direction);
std::string to_string(cache_state cache);
/// All there are.
std::vector<cache_state> cache_states();
/// Whether threads have written the memory: neither warm nor cold.
bool is_written(cache_state cache);
/// Behind a noun: "with warm caches", "just written by the copying thread".
std::string describe(cache_state cache);
std::string to_string(table shown);
std::string to_string(metric_kind kind);
std::string to_string(set_kind kind);
std::string to_string(disturbance code);
std::string to_string(better more_or_less);
std::optional<direction> direction_from(const std::string& word);
std::optional<cache_state> cache_state_from(const std::string& word);
std::optional<table> table_from(const std::string& word);
std::optional<metric_kind> metric_kind_from(const std::string& word);
std::optional<set_kind> set_kind_from(const std::string& word);
std::optional<disturbance> disturbance_from(const std::string& word);
std::optional<better> better_from(const std::string& word);

/// An entry of context.transfers.benchmarks, .roles and .metrics, without its key, the name.
nlohmann::ordered_json to_json(const benchmark& described);
nlohmann::ordered_json to_json(const role& described);
nlohmann::ordered_json to_json(const metric& described);

}  // namespace bench_transfers::result_file
