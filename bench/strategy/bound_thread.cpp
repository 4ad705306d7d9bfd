#include "bench/strategy/bound_thread.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <cerrno>
#include <memory>
#include <system_error>

#include "bench/strategy/transfer.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench {
namespace {

/// A set of CPUs of any size.
class cpu_mask {
 public:
  explicit cpu_mask(const std::vector<std::size_t>& cpus)
      : count_(cpus.empty() ? 1 : cpus.back() + 1), set_(CPU_ALLOC(count_)) {
    if (!set_) throw transfers::out_of_memory("a set of CPUs");
    CPU_ZERO_S(bytes(), set_.get());
    for (const auto cpu : cpus) CPU_SET_S(cpu, bytes(), set_.get());
  }

  /// Of the calling thread; returns 0 or an error number.
  [[nodiscard]] int apply() const {
    return sched_setaffinity(0, bytes(), set_.get()) == 0 ? 0 : errno;
  }

 private:
  struct release {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
  };
  [[nodiscard]] std::size_t bytes() const { return CPU_ALLOC_SIZE(count_); }

  std::size_t count_;
  std::unique_ptr<cpu_set_t, release> set_;
};

}  // namespace

std::optional<std::string> why_no_cpu(const machine::numa_node& node) {
  if (node.cpus.empty()) return fmt::format("NUMA node {} has no CPU", node.number);
  if (node.usable_cpus.empty())
    return fmt::format("this process may use no CPU of NUMA node {}", node.number);
  return std::nullopt;
}

std::shared_ptr<const void> bound_to(const machine::numa_node& node) {
  if (const auto reason = why_no_cpu(node)) throw transfers::unsupported(*reason);
  const auto before = std::make_shared<cpu_mask>(machine::usable_cpus());
  if (const int error = cpu_mask(node.usable_cpus).apply(); error != 0)
    throw transfers::unsupported(
        fmt::format("the system refuses to run on CPUs of NUMA node {}: {}", node.number,
                    std::generic_category().message(error)));
  return at_end([before] { static_cast<void>(before->apply()); });
}

}  // namespace bench_transfers::bench
