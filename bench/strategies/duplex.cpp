#include <algorithm>

#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

using transfers::direction;

/// Who moves the data of one direction.
enum class mover { engine, kernel };

struct movers {
  mover h2d, d2h;
};

/// One direction: a copy on a stream of its own, as often as task.
class lane {
 public:
  lane(transfers::stream& in, direction way, mover by, const payload& source,
       const payload& destination)
      : in_(in),
        way_(way),
        by_(by),
        from_(by == mover::kernel ? seen_by_kernel(source) : source.data),
        to_(by == mover::kernel ? seen_by_kernel(destination) : destination.data),
        bytes_(source.bytes) {}

  void enqueue() {
    if (by_ == mover::kernel)
      in_.copy_by_kernel(to_, from_, bytes_);
    else
      in_.copy(to_, from_, bytes_, way_);
  }
  void wait() { in_.synchronize(); }

  /// Keeps the direction busy for longer than the other one takes for a copy.
  void keep_busy() {
    for (int i = 0; i < copies_; ++i) enqueue();
    end_ = in_.record();
  }
  /// Waits until it is idle. Whether it was busy until now.
  bool was_kept_busy() {
    const bool busy = !end_->done();
    wait();
    constexpr int most = 24;
    if (!busy) copies_ = std::min(2 * copies_, most);
    return busy;
  }

  [[nodiscard]] std::size_t multiprocessors(const transfers::device& on) const {
    if (by_ == mover::engine) return 0;
    return transfers::copy_kernel_multiprocessors(on.description(), to_, from_, bytes_);
  }

 private:
  transfers::stream& in_;
  direction way_;
  mover by_;
  std::byte* from_;
  std::byte* to_;
  std::size_t bytes_;
  int copies_ = 3;
  std::unique_ptr<transfers::event> end_;
};

/// Both directions, each between memory of its own.
struct road {
  road(const job& task, transfers::host_memory_kind kind, movers by)
      : arrived{device_payload(task, 0), host_payload(task, kind, 1)},
        back(task.device.create_stream()),
        h2d(task.stream, direction::h2d, by.h2d, host_payload(task, kind, 0), arrived.h2d),
        d2h(*back, direction::d2h, by.d2h, device_payload(task, 1), arrived.d2h) {}

  struct {
    payload h2d, d2h;
  } arrived;  ///< the destinations
  std::unique_ptr<transfers::stream> back;
  lane h2d, d2h;
};

/// The operation is both directions at once, until both are done. The one that is faster ends
/// before the other, which has the link to itself then: that is what a program meets that sends as
/// much as it receives, but tells nothing of each direction. So each is also timed while the other
/// is kept busy from before its beginning until after its end, and alone.
transfer prepare(const job& task, transfers::host_memory_kind kind, movers by) {
  const auto both = std::make_shared<road>(task, kind, by);
  transfer made;
  made.source = host_payload(task, kind, 0);
  made.destination = both->arrived.h2d;
  made.amount.bytes = 2 * task.bytes;
  made.timing.batched = false;
  made.steps = {{"both", [both] {
                   both->h2d.enqueue();
                   both->d2h.enqueue();
                   both->h2d.wait();
                   both->d2h.wait();
                 }}};
  made.amount.multiprocessors =
      both->h2d.multiprocessors(task.device) + both->d2h.multiprocessors(task.device);
  if (const auto& cuda = task.device.description().cuda)
    made.amount.multiprocessors =
        std::min(made.amount.multiprocessors, static_cast<std::size_t>(cuda->multiprocessors));

  const auto alone = [both](lane road::*one) {
    return [both, one] {
      ((*both).*one).enqueue();
      ((*both).*one).wait();
    };
  };
  const auto add = [&](const std::string& name, lane road::*one, lane road::*other) {
    made.against.push_back({.name = name,
                            .description = name + " while the other direction is kept busy",
                            .run = alone(one),
                            .bytes = task.bytes,
                            .before = [both, other] { ((*both).*other).keep_busy(); },
                            .after = [both, other] { return ((*both).*other).was_kept_busy(); }});
    made.against.push_back({.name = name + "_alone",
                            .description = name + " alone",
                            .run = alone(one),
                            .bytes = task.bytes});
  };
  add("h2d", &road::h2d, &road::d2h);
  add("d2h", &road::d2h, &road::h2d);

  // The harness looks after one destination; the other one is poisoned, checked and restored here.
  const auto& down = both->arrived.d2h;
  auto* const block = down.data - down.offset;
  const auto pattern = task.memory.pattern();
  const auto poison = task.memory.pattern(true);
  made.check.compare = [&device = task.device, up = both->arrived.h2d, down, block, pattern,
                        poison]() -> std::optional<std::string> {
    const auto wrong = [](const char* where, const transfers::pattern_check& found,
                          std::size_t first) {
      return std::string(where) + ": " + std::to_string(found.wrong_bytes) +
             " bytes differ, the first at offset " + std::to_string(found.first_wrong - first);
    };
    const auto behind = down.offset + down.bytes;
    if (const auto found = device.check_pattern(up.data, 0, up.bytes, pattern);
        found.wrong_bytes > 0)
      return wrong("h2d", found, 0);
    if (const auto found = transfers::check_host_pattern(block, down.offset, down.bytes, pattern);
        found.wrong_bytes > 0)
      return wrong("d2h", found, down.offset);
    if (const auto found = transfers::check_host_pattern(block, behind, down.guard, poison);
        found.wrong_bytes > 0)
      return wrong("d2h, behind the end", found, behind);
    return std::nullopt;
  };
  made.check.restore = [down, block, pattern] {
    transfers::write_host_pattern(block, down.offset, down.bytes + down.guard, pattern);
  };
  transfers::write_host_pattern(block, down.offset, down.bytes + down.guard, poison);
  return made;
}

void add(const std::string& name, const std::string& summary, std::vector<variant> variants,
         transfers::host_memory_kind kind, unsigned plainness,
         std::function<movers(std::string_view)> who) {
  registration{
      strategy{.family = "duplex",
               .parts = {method(name), in_memory(kind)},
               .summary = "both directions at once, " + summary,
               .variants = std::move(variants),
               .role = roles::duplex,
               .direction = result_file::direction::both,
               .plainness = plainness,
               .prepare = [kind, who = std::move(who)](
                              const job& task) { return prepare(task, kind, who(task.variant)); },
               .needs = {.host = kind, .host_payloads = 2, .device_payloads = 2},
               // Below, the time is the calls', and no direction can be kept busy.
               .sampling = {.smallest = std::size_t{1} << 20, .cold = false, .effort = 0.25}}};
}

const struct duplex_strategies {
  duplex_strategies() {
    const auto mapped = transfers::pinned(transfers::pin_flags::mapped);
    add("engines", "by copy engines", {}, transfers::pinned(), 0, [](std::string_view) {
      return movers{mover::engine, mover::engine};
    });
    add("kernels", "by kernels that read and write host memory", {}, mapped, 1,
        [](std::string_view) {
          return movers{mover::kernel, mover::kernel};
        });
    add("mixed", "one by a kernel, the other by a copy engine",
        named({"h2d_by_kernel", "d2h_by_kernel"}), mapped, 2, [](std::string_view variant) {
          return variant == "h2d_by_kernel" ? movers{mover::kernel, mover::engine}
                                            : movers{mover::engine, mover::kernel};
        });
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench
