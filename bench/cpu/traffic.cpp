#include "bench/cpu/traffic.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "src/transfers/core/relax.hpp"

namespace bench_transfers::bench::cpu {
namespace {

using namespace std::chrono_literals;

/// Some microseconds: much less than a copy takes, so that pieces under way at its beginning and
/// its end do not matter; more than a look at the clock.
constexpr std::size_t piece = std::size_t{64} << 10;

pace::time now() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace

void pace::moved(std::size_t bytes, time now) {
  constexpr double ns_per_s = 1e9;
  next_ += time(static_cast<double>(bytes) / bytes_per_second_ * ns_per_s);
  next_ = std::max(next_, now - most_behind);
}

void heartbeat::begin(pace::time now) { last_ns_.store(now.count(), std::memory_order_release); }

void heartbeat::beat(pace::time now) {
  if (is_missing(now)) misses_.fetch_add(1, std::memory_order_acq_rel);
  begin(now);
}

bool heartbeat::is_missing(pace::time now) const {
  return now.count() - last_ns_.load(std::memory_order_acquire) > longest.count();
}

std::string to_string(traffic_kind kind) {
  switch (kind) {
    case traffic_kind::read: return "read";
    case traffic_kind::write: return "write";
    case traffic_kind::copy: break;
  }
  return "copy";
}

traffic::traffic(traffic_kind kind, std::span<std::byte> memory, unsigned threads)
    : kind_(kind), workers_(threads) {
  const auto share = threads == 0 ? 0 : memory.size() / threads / (2 * piece) * (2 * piece);
  if (share == 0) throw std::invalid_argument("too little memory for the threads of the traffic");
  if (reinterpret_cast<std::uintptr_t>(memory.data()) % line != 0)
    throw std::invalid_argument("the memory of the traffic must begin with a line");
  try {
    for (std::size_t i = 0; i < threads; ++i) {
      workers_[i].memory = memory.subspan(i * share, share);
      threads_.emplace_back([this, i] { serve(workers_[i]); });
    }
  } catch (...) {
    give(command::end);
    throw;
  }
}

traffic::~traffic() { give(command::end); }

void traffic::give(command given) {
  command_.store(given, std::memory_order_release);
  command_.notify_all();
}

void traffic::start(double bytes_per_second) {
  rate_of_each_.store(bytes_per_second / threads(), std::memory_order_relaxed);
  give(command::work);
  while (at_work_.load(std::memory_order_acquire) < threads()) std::this_thread::yield();
}

void traffic::stop() {
  give(command::wait);
  while (at_work_.load(std::memory_order_acquire) > 0) std::this_thread::yield();
}

std::uint64_t traffic::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& each : workers_) sum += each.bytes.load(std::memory_order_relaxed);
  return sum;
}

std::size_t traffic::bytes_of_piece() const {
  return kind_ == traffic_kind::copy ? 2 * piece : piece;
}

void traffic::wait_for(std::uint64_t more_bytes) const {
  constexpr int pauses_between_looks = 16;  // each takes the counters from the threads' caches
  const auto goal = bytes() + more_bytes;
  while (bytes() < goal) {
    for (int i = 0; i < pauses_between_looks; ++i) transfers::detail::relax();
    std::this_thread::yield();  // to a thread of the traffic, where there are too few processors
  }
}

std::optional<std::uint64_t> traffic::misses() const {
  std::uint64_t sum = 0;
  const auto time = now();
  for (const auto& each : workers_) {
    if (each.heart.is_missing(time)) return std::nullopt;
    sum += each.heart.misses();
  }
  return sum;
}

double traffic::measure_rate() {
  constexpr int attempts = 5;
  constexpr std::uint64_t pieces = 64;
  double fastest = 0;  // others can only make it slower
  start(unlimited);
  wait_for(threads() * bytes_of_piece());
  for (int i = 0; i < attempts; ++i) {
    const auto before = bytes();
    const auto begin = now();
    wait_for(pieces * threads() * bytes_of_piece());
    const std::chrono::duration<double> seconds = now() - begin;
    fastest = std::max(fastest, static_cast<double>(bytes() - before) / seconds.count());
  }
  stop();
  return fastest;
}

void traffic::serve(worker& self) {
  for (;;) {
    command_.wait(command::wait, std::memory_order_acquire);
    const auto given = command_.load(std::memory_order_acquire);
    if (given == command::end) return;
    if (given == command::work) work(self);
  }
}

void traffic::work(worker& self) {
  const auto begin = now();
  pace pace(rate_of_each_.load(std::memory_order_relaxed), begin);
  self.heart.begin(begin);
  at_work_.fetch_add(1, std::memory_order_acq_rel);
  const auto works = [this] { return command_.load(std::memory_order_acquire) == command::work; };
  for (std::size_t turn = 0; works(); ++turn) {
    move_piece(self, turn);
    self.bytes.fetch_add(bytes_of_piece(), std::memory_order_relaxed);
    auto time = now();
    self.heart.beat(time);
    pace.moved(bytes_of_piece(), time);
    for (; time < pace.next() && works(); time = now()) {
      self.heart.beat(time);
      transfers::detail::relax();
    }
  }
  at_work_.fetch_sub(1, std::memory_order_acq_rel);
}

void traffic::move_piece(worker& self, std::size_t turn) const {
  const auto half = self.memory.size() / 2;
  const auto pieces = (kind_ == traffic_kind::copy ? half : self.memory.size()) / piece;
  auto* const first = self.memory.data() + turn % pieces * piece;
  switch (kind_) {
    case traffic_kind::read: self.sum ^= instructions().read_vector(first, piece); return;
    case traffic_kind::write: std::memset(first, static_cast<int>(turn & 0xff), piece); return;
    case traffic_kind::copy: std::memcpy(first + half, first, piece); return;
  }
}

}  // namespace bench_transfers::bench::cpu
