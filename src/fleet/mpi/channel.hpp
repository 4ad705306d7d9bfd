#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace bench_transfers::fleet {

struct message {
  std::size_t rank = 0;  ///< who has sent it
  std::string bytes;
};

/// Carries messages between the ranks of a job. Nothing waits.
class channel {
 public:
  virtual ~channel() = default;
  [[nodiscard]] virtual std::size_t rank() const noexcept = 0;
  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
  virtual void send(std::size_t rank, const std::string& bytes) = 0;
  /// Whether nothing is being sent any more.
  [[nodiscard]] virtual bool has_sent() = 0;
  /// A message that has come.
  [[nodiscard]] virtual std::optional<message> receive() = 0;
};

}  // namespace bench_transfers::fleet
