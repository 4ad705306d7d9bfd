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

/// One direction: a copy on a stream of its own, as often as wanted.
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
  road(const job& wanted, transfers::host_memory_kind kind, movers by)
      : arrived{device_payload(wanted, 0), host_payload(wanted, kind, 1)},
        back(wanted.device.create_stream()),
        h2d(wanted.stream, direction::h2d, by.h2d, host_payload(wanted, kind, 0), arrived.h2d),
        d2h(*back, direction::d2h, by.d2h, device_payload(wanted, 1), arrived.d2h) {}

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
transfer prepare(const job& wanted, transfers::host_memory_kind kind, movers by) {
  const auto both = std::make_shared<road>(wanted, kind, by);
  transfer made;
  made.source = host_payload(wanted, kind, 0);
  made.destination = both->arrived.h2d;
  made.bytes = 2 * wanted.bytes;
  made.batched = false;
  made.steps = {{"both", [both] {
                   both->h2d.enqueue();
                   both->d2h.enqueue();
                   both->h2d.wait();
                   both->d2h.wait();
                 }}};
  made.multiprocessors =
      both->h2d.multiprocessors(wanted.device) + both->d2h.multiprocessors(wanted.device);
  if (const auto& cuda = wanted.device.description().cuda)
    made.multiprocessors =
        std::min(made.multiprocessors, static_cast<std::size_t>(cuda->multiprocessors));

  const auto alone = [both](lane road::*one) {
    return [both, one] {
      ((*both).*one).enqueue();
      ((*both).*one).wait();
    };
  };
  const auto add = [&](const std::string& name, lane road::*one, lane road::*other) {
    made.against.push_back({.with = name,
                            .run = alone(one),
                            .bytes = wanted.bytes,
                            .before = [both, other] { ((*both).*other).keep_busy(); },
                            .after = [both, other] { return ((*both).*other).was_kept_busy(); }});
    made.against.push_back({.with = name + "_alone", .run = alone(one), .bytes = wanted.bytes});
  };
  add("h2d", &road::h2d, &road::d2h);
  add("d2h", &road::d2h, &road::h2d);

  // The harness looks after one destination; the other one is poisoned, checked and restored here.
  const auto& down = both->arrived.d2h;
  auto* const block = down.data - down.offset;
  const auto pattern = wanted.memory.pattern();
  const auto poison = wanted.memory.pattern(true);
  made.verify = [&device = wanted.device, up = both->arrived.h2d, down, block, pattern,
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
  made.restore = [down, block, pattern] {
    transfers::write_host_pattern(block, down.offset, down.bytes + down.guard, pattern);
  };
  transfers::write_host_pattern(block, down.offset, down.bytes + down.guard, poison);
  return made;
}

void add(const std::string& name, const std::string& summary, std::vector<std::string> variants,
         transfers::host_memory_kind kind, std::function<movers(std::string_view)> who) {
  registration{strategy{
      .name = "duplex/" + name + "/" + to_string(kind),
      .summary = "both directions at once, " + summary,
      .variants = std::move(variants),
      .host = kind,
      .prepare = [kind, who = std::move(who)](
                     const job& wanted) { return prepare(wanted, kind, who(wanted.variant)); },
      // Below, the time is the calls', and no direction can be kept busy.
      .smallest = std::size_t{1} << 20,
      .host_payloads = 2,
      .device_payloads = 2,
      .cold = false,
      .effort = 0.25,
      .one_way = false}};
}

const struct all {
  all() {
    const auto mapped = transfers::pinned(transfers::pin_flags::mapped);
    add("engines", "by copy engines", {}, transfers::pinned(), [](std::string_view) {
      return movers{mover::engine, mover::engine};
    });
    add("kernels", "by kernels that read and write host memory", {}, mapped, [](std::string_view) {
      return movers{mover::kernel, mover::kernel};
    });
    add("mixed", "one by a kernel, the other by a copy engine", {"h2d_by_kernel", "d2h_by_kernel"},
        mapped, [](std::string_view variant) {
          return variant == "h2d_by_kernel" ? movers{mover::kernel, mover::engine}
                                            : movers{mover::engine, mover::kernel};
        });
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench
