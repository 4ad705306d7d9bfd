#include "src/transfers/fast/default_copier.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "transfers/core/error.hpp"
#include "transfers/core/workers.hpp"
#include "transfers/fast/staged_copy.hpp"

namespace transfers::detail {
namespace {

class default_copier final : public pageable_copier {
 public:
  explicit default_copier(std::shared_ptr<device> device) : device_(std::move(device)) {}

  [[nodiscard]] std::size_t least_bytes(direction direction) const noexcept override {
    const auto& route = settings_[direction];
    return std::min(route.least(copy_pace::in_row), route.least(copy_pace::alone));
  }

  [[nodiscard]] bool acquire() override {
    std::call_once(tried_, [this] { make_copier(); });
    return copier_.has_value();
  }

  void copy(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction) override {
    copier_->copy(dst, src, bytes, direction);
  }

  [[nodiscard]] device_identity identity() const noexcept override { return device_->identity(); }

 private:
  void make_copier() {
    constexpr unsigned least_processors = 4;  // one thread fills a chunk as fast as the driver does
    if (usable_processors() < least_processors) return;
    // Devices of this kind access ordinary memory themselves.
    const auto& cuda = device_->description().cuda;
    if (cuda && (cuda->host_page_tables || cuda->integrated)) return;
    try {
      copier_.emplace(*device_, settings_);
    } catch (const out_of_memory&) {  // the device copies itself, only slower
    } catch (const unsupported&) {
    } catch (const std::system_error&) {
    } catch (const device_error& failure) {
      if (failure.device_lost()) throw;
    }
  }

  const std::shared_ptr<device> device_;
  const staging settings_;
  std::once_flag tried_;
  std::optional<staged_copier> copier_;
};

}  // namespace

std::shared_ptr<pageable_copier> make_default_copier(std::shared_ptr<device> device) {
  return std::make_shared<default_copier>(std::move(device));
}

}  // namespace transfers::detail
