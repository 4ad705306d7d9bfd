#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "src/transfers/host/device_parts.hpp"

namespace transfers::detail {

/// A thread that runs tasks in order, also those after one that throws. Its destructor waits for
/// the tasks; what one has thrown since the last wait() is lost then.
class task_queue {
 public:
  /// Each unfinished task counts there, too.
  explicit task_queue(outstanding_work& all)
      : all_(all), worker_([this](const std::stop_token& stop) { work(stop); }) {}

  void enqueue(std::function<void()> task) {
    {
      const std::scoped_lock lock(mutex_);
      tasks_.push_back(std::move(task));
      ++unfinished_;
      all_.add();
    }
    wake_.notify_one();
  }

  /// Returns when no task is left. Throws what a task has thrown since the last call, of several
  /// the first.
  void wait() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return unfinished_ == 0; });
    if (auto failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
  }

 private:
  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const auto has_task = [this] { return !tasks_.empty(); };
    // A stop takes effect only when no work is left: destruction waits for enqueued work.
    while (wake_.wait(lock, stop, has_task)) {
      auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      auto failure = run(task);
      task = nullptr;  // its captures may use this queue when they are destroyed
      lock.lock();
      if (failure_ == nullptr) {
        failure_ = std::move(failure);
      } else if (failure != nullptr) {
        lock.unlock();
        failure = nullptr;  // likewise
        lock.lock();
      }
      if (--unfinished_ == 0) idle_.notify_all();
      all_.remove();
    }
  }

  static std::exception_ptr run(const std::function<void()>& task) {
    try {
      task();
      return nullptr;
    } catch (...) {
      return std::current_exception();
    }
  }

  outstanding_work& all_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable idle_;
  std::deque<std::function<void()>> tasks_;
  std::size_t unfinished_ = 0;
  std::exception_ptr failure_;
  std::jthread worker_;  // last: starts after, and is joined before, the other members
};

}  // namespace transfers::detail
