#include "src/fleet/mpi/gathering.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <future>
#include <string_view>
#include <utility>

namespace bench_transfers::fleet {
namespace {

// The first letter of a message.
constexpr char hello = 'h';   // to rank 0: ranks of the node
constexpr char go = 'g';      // from rank 0: the most ranks of a node
constexpr char result = 'r';  // to rank 0: ms that it took, ranks that are lost; what was measured
constexpr char patience = 'p';  // from rank 0, while it waits for others: for how many ms at most
constexpr char working = 'w';   // from rank 0: it has heard who answers, and works
constexpr char complete = 'c';  // from rank 0: it has heard all
constexpr char lost = 'l';      // from rank 0: it has not

bool is(char kind, const message& received) { return received.bytes.starts_with(kind); }

/// The numbers in the first line of a message.
std::vector<std::size_t> numbers_in(const message& received) {
  std::vector<std::size_t> numbers;
  const auto line = std::string_view(received.bytes).substr(0, received.bytes.find('\n'));
  for (auto at = line.data() + 1, end = line.data() + line.size(); at < end; ++at) {
    std::size_t number = 0;
    const auto [stopped, error] = std::from_chars(at, end, number);
    if (error != std::errc{}) break;
    numbers.push_back(number);
    at = stopped;
  }
  return numbers;
}

std::size_t number_in(const message& received) {
  const auto numbers = numbers_in(received);
  return numbers.empty() ? 0 : numbers.front();
}

/// At least 1: 0 stands for a time that is not known.
std::size_t whole_ms(std::chrono::duration<double> time) {
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(time).count();
  return static_cast<std::size_t>(std::max<std::int64_t>(ms, 1));
}

}  // namespace

gathering::gathering(channel& ranks, description self)
    : ranks_(ranks),
      self_(std::move(self)),
      most_ranks_of_node_(self_.ranks_of_node),
      began_(self_.now()) {}

gathering::clock::time_point gathering::after(seconds time) const {
  return self_.now() + std::chrono::duration_cast<clock::duration>(time);
}

template <class Take, class Condition, class End>
void gathering::receive_until(Condition&& is_enough, End&& end, seconds after_interruption,
                              Take&& take) {
  constexpr std::chrono::milliseconds between_looks(1);
  auto end_if_interrupted = clock::time_point::max();
  while (!is_enough() && self_.now() < std::min(end(), end_if_interrupted)) {
    if (end_if_interrupted == clock::time_point::max() && self_.interrupted())
      end_if_interrupted = after(after_interruption);
    const auto received = ranks_.receive();
    if (!received) {
      self_.sleep(between_looks);
      continue;
    }
    take(*received);
    const bool is_interrupted = end_if_interrupted != clock::time_point::max();
    if (is_interrupted && is(working, *received)) end_if_interrupted = after(after_interruption);
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
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      if (!heard.contains(rank)) lost_.insert(rank);
    send_to_others(go + std::to_string(most_ranks_of_node_));
  } else {
    ranks_.send(0, hello + std::to_string(self_.ranks_of_node));
    receive_until([&] { return heard.contains(0); }, its_end, seconds(0), take);
  }
  began_ = self_.now();
}

/// A rank may need twice the time of another one.
gathering::clock::time_point gathering::end_of_patience(int waits) const {
  if (longest_ == seconds(0)) return clock::time_point::max();
  return began_ + std::chrono::duration_cast<clock::duration>(2 * longest_ + waits * self_.wait);
}

std::string gathering::told(const contribution& own) const {
  const seconds spent = std::max<seconds>(self_.now() - began_ - own.waited, seconds(0));
  const auto needed =
      spent / static_cast<double>(self_.ranks_of_node) * static_cast<double>(most_ranks_of_node_);
  std::vector<std::size_t> numbers{own.is_whole ? whole_ms(needed) : 0};
  numbers.insert(numbers.end(), own.lost.begin(), own.lost.end());
  return fmt::format("{}{}\n{}", result, fmt::join(numbers, " "), own.bytes);
}

std::map<std::size_t, std::string> gathering::gather(const contribution& own) {
  const message own_result{ranks_.rank(), told(own)};
  note_result(own_result);
  if (ranks_.rank() > 0) {
    ranks_.send(0, own_result.bytes);
    return {};
  }
  receive_until([&] { return have_all_answered(); }, [&] { return end_of_patience(1); },
                self_.wait_when_interrupted,
                [&](const message& received) {
                  if (!is(result, received)) return;
                  note_result(received);
                  tell_patience(received.rank);
                });
  is_complete_ = results_.size() == ranks_.size();
  for (const auto& [rank, bytes] : results_)
    if (rank != ranks_.rank()) answered_.push_back(rank);
  return std::move(results_);
}

void gathering::work(const std::function<void()>& job) {
  constexpr std::chrono::milliseconds between_looks(1);
  constexpr std::chrono::seconds between_signs(1);
  const auto last_sign = after(self_.most_work);
  auto next_sign = self_.now();
  auto done = std::async(std::launch::async, job);
  while (done.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    if (self_.now() >= next_sign && self_.now() < last_sign) {
      for (const auto rank : answered_) ranks_.send(rank, {working});
      static_cast<void>(ranks_.has_sent());  // what has arrived is forgotten
      next_sign = after(between_signs);
    }
    self_.sleep(between_looks);
  }
  done.get();
}

bool gathering::have_all_answered() const {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
    if (!results_.contains(rank) && !lost_.contains(rank)) return false;
  return true;
}

void gathering::note_result(const message& received) {
  const auto numbers = numbers_in(received);
  if (numbers.empty()) return;
  longest_ = std::max<seconds>(longest_, std::chrono::milliseconds(numbers.front()));
  lost_.insert(numbers.begin() + 1, numbers.end());
  results_.emplace(received.rank, received.bytes.substr(received.bytes.find('\n') + 1));
}

void gathering::tell_patience(std::size_t last) {
  const auto end = end_of_patience(1);
  if (have_all_answered() || end == clock::time_point::max()) return;
  const auto told = patience + std::to_string(whole_ms(end - self_.now()));
  const bool is_news = std::exchange(told_end_, end) != end;
  for (const auto& [rank, bytes] : results_)
    if (rank > 0 && (is_news || rank == last)) ranks_.send(rank, told);
}

bool gathering::end() {
  const auto start = self_.now();
  bool has_ended = ranks_.rank() == 0;
  if (has_ended) send_to_others({is_complete_ ? complete : lost});
  // A rank that listens takes a message at once.
  const auto end_of_sending =
      after(is_complete_ ? self_.wait : std::min(self_.wait, self_.wait_when_interrupted));
  auto end_of_waiting = end_of_patience(2);  // rank 0 may wait for others first
  receive_until(
      [&] { return has_ended && ranks_.has_sent(); },
      [&] { return has_ended ? end_of_sending : end_of_waiting; }, 2 * self_.wait_when_interrupted,
      [&](const message& received) {
        if (is(patience, received))
          end_of_waiting = after(std::chrono::milliseconds(number_in(received)) + self_.wait);
        // Beside many other processes its next sign may be late.
        if (is(working, received)) end_of_waiting = after(self_.wait + self_.wait_when_interrupted);
        has_ended |= is(complete, received) || is(lost, received);
        is_complete_ |= is(complete, received);
      });
  if (!has_ended) silence_of_rank_0_ = self_.now() - start;
  return is_complete_;
}

}  // namespace bench_transfers::fleet
