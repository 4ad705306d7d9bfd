#pragma once

#include <atomic>
#include <latch>

#include "transfers/core/stream.hpp"

namespace transfers {

/// Work of a stream that is not done before go_on(). The destructor waits for it.
class blocked_work {
 public:
  explicit blocked_work(stream& stream) : stream_(stream) {
    stream.call([this] {
      go_on_.wait();
      done_ = true;
    });
  }
  ~blocked_work() {
    go_on();
    stream_.synchronize();
  }
  blocked_work(const blocked_work&) = delete;
  blocked_work& operator=(const blocked_work&) = delete;

  void go_on() {
    if (!went_on_.exchange(true)) go_on_.count_down();
  }
  [[nodiscard]] bool is_done() const { return done_; }

 private:
  stream& stream_;
  std::latch go_on_{1};
  std::atomic<bool> went_on_ = false, done_ = false;
};

}  // namespace transfers
