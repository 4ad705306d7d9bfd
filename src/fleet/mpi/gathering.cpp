#include "src/fleet/mpi/gathering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

namespace bench_transfers::fleet {
namespace {

// The first letter of a message.
constexpr char hello = 'h';     // to rank 0: ranks of the node
constexpr char go = 'g';        // from rank 0: the most ranks of a node
constexpr char result = 'r';    // to rank 0: what was measured
constexpr char complete = 'c';  // from rank 0: it has heard all
constexpr char lost = 'l';      // from rank 0: it has not

std::chrono::steady_clock::time_point after(std::chrono::duration<double> time) {
  using clock = std::chrono::steady_clock;
  return clock::now() + std::chrono::duration_cast<clock::duration>(time);
}

bool is(char kind, const message& received) { return received.bytes.starts_with(kind); }

std::size_t number_in(const message& received) {
  const auto text = std::string_view(received.bytes).substr(1);
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

gathering::gathering(channel& ranks, description self)
    : ranks_(ranks),
      self_(std::move(self)),
      most_ranks_of_node_(self_.ranks_of_node),
      began_(clock::now()) {}

template <class Take, class Condition, class End>
void gathering::receive_until(Condition&& is_enough, End&& end, seconds after_interruption,
                              Take&& take) {
  constexpr std::chrono::milliseconds between_looks(1);
  auto end_if_interrupted = clock::time_point::max();
  while (!is_enough() && clock::now() < std::min(end(), end_if_interrupted)) {
    if (end_if_interrupted == clock::time_point::max() && self_.interrupted())
      end_if_interrupted = after(after_interruption);
    if (const auto received = ranks_.receive())
      take(*received);
    else
      std::this_thread::sleep_for(between_looks);
  }
}

void gathering::send_to_others(const std::string& bytes) {
  for (std::size_t rank = 1; rank < ranks_.size(); ++rank) ranks_.send(rank, bytes);
}

void gathering::begin() {
  std::set<std::size_t> heard{ranks_.rank()};
  const auto take = [&](const message& received) {
    heard.insert(received.rank);
    if (is(result, received)) return note_result(received);  // it has been interrupted
    most_ranks_of_node_ = std::max(most_ranks_of_node_, number_in(received));
  };
  const auto end = after((ranks_.rank() == 0 ? 1 : 2) * self_.wait);
  const auto its_end = [&] { return end; };
  if (ranks_.rank() == 0) {
    receive_until([&] { return heard.size() == ranks_.size(); }, its_end, seconds(0), take);
    send_to_others(go + std::to_string(most_ranks_of_node_));
  } else {
    ranks_.send(0, hello + std::to_string(self_.ranks_of_node));
    receive_until([&] { return heard.contains(0); }, its_end, seconds(0), take);
  }
  began_ = clock::now();
}

/// A rank may wait for others of its node, too.
gathering::clock::time_point gathering::end_of_patience(int times) const {
  if (longest_ == seconds(0)) return clock::time_point::max();
  return began_ + std::chrono::duration_cast<clock::duration>(times * (self_.wait + longest_));
}

std::map<std::size_t, std::string> gathering::gather(const std::string& own, bool is_whole) {
  const auto turn = seconds(clock::now() - began_) / static_cast<double>(self_.ranks_of_node);
  const auto needed =
      std::chrono::ceil<std::chrono::milliseconds>(turn * static_cast<double>(most_ranks_of_node_));
  const auto told = fmt::format("{}{}\n{}", result, is_whole ? needed.count() : 0, own);
  note_result({ranks_.rank(), told});
  if (ranks_.rank() > 0) {
    ranks_.send(0, told);
    return {};
  }
  receive_until([&] { return results_.size() == ranks_.size(); },
                [&] { return end_of_patience(2); }, self_.wait_when_interrupted,
                [&](const message& received) {
                  if (is(result, received)) note_result(received);
                });
  is_complete_ = results_.size() == ranks_.size();
  return std::move(results_);
}

void gathering::note_result(const message& received) {
  longest_ = std::max<seconds>(longest_, std::chrono::milliseconds(number_in(received)));
  results_.emplace(received.rank, received.bytes.substr(received.bytes.find('\n') + 1));
}

bool gathering::end() {
  bool has_ended = ranks_.rank() == 0;
  if (has_ended) send_to_others({is_complete_ ? complete : lost});
  const auto end_of_sending = after(self_.wait);
  receive_until([&] { return has_ended && ranks_.has_sent(); },
                // Rank 0 waits for others first.
                [&] { return has_ended ? end_of_sending : end_of_patience(4); },
                2 * self_.wait_when_interrupted,
                [&](const message& received) {
                  has_ended |= is(complete, received) || is(lost, received);
                  is_complete_ |= is(complete, received);
                });
  return is_complete_;
}

}  // namespace bench_transfers::fleet
