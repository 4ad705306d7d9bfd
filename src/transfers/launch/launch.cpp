#include "transfers/launch/launch.hpp"

#include <fmt/format.h>

#include <climits>
#include <stdexcept>

#include "transfers/core/error.hpp"

namespace transfers {
namespace {

/// Calls `work` for every thread of every block, x fastest.
template <class Work>
void for_each_thread(const launch_shape& shape, Work&& work) {
  const auto for_each_index = [](const extent3& extent, auto&& visit) {
    for (unsigned z = 0; z < extent.z; ++z)
      for (unsigned y = 0; y < extent.y; ++y)
        for (unsigned x = 0; x < extent.x; ++x) visit(extent3{x, y, z});
  };
  for_each_index(shape.grid, [&](const extent3& block) {
    for_each_index(shape.block, [&](const extent3& thread) {
      work(thread_index{block, thread, shape});
    });
  });
}

class host_body final : public detail::function_body {
 public:
  host_body(std::string name, std::vector<std::size_t> parameters, detail::erased_call kernel)
      : name_(std::move(name)), parameters_(std::move(parameters)), kernel_(std::move(kernel)) {}

  [[nodiscard]] const std::string& name() const noexcept override { return name_; }
  [[nodiscard]] std::span<const std::size_t> parameters() const noexcept override {
    return parameters_;
  }

  void launch(stream& stream, const launch_shape& threads,
              const void* const* arguments) const override {
    if (stream.native_handle() != nullptr)
      throw invalid_argument(
          fmt::format("{} is a host function: a CUDA device cannot run it", name_));
    detail::check_shape(*this, threads);
    // As for a CUDA kernel, the arguments are copied before the call returns.
    constexpr auto aligned = alignof(std::max_align_t);
    std::vector<std::size_t> offsets;
    std::size_t bytes = 0;
    for (const auto size : parameters_) {
      offsets.push_back(bytes);
      bytes += (size + aligned - 1) / aligned * aligned;
    }
    std::vector<std::max_align_t> copies(bytes / sizeof(std::max_align_t) + 1);
    auto* const first = reinterpret_cast<std::byte*>(copies.data());
    for (std::size_t i = 0; i < offsets.size(); ++i)
      std::memcpy(first + offsets[i], arguments[i], parameters_[i]);
    stream.call(
        [kernel = kernel_, offsets = std::move(offsets), copies = std::move(copies), threads] {
          std::vector<const void*> addresses;
          for (const auto offset : offsets)
            addresses.push_back(reinterpret_cast<const std::byte*>(copies.data()) + offset);
          for_each_thread(threads, [&](const thread_index& at) { kernel(at, addresses.data()); });
        });
  }

 private:
  std::string name_;
  std::vector<std::size_t> parameters_;
  detail::erased_call kernel_;
};

}  // namespace

void function::launch(stream& stream, const launch_shape& threads,
                      std::span<const argument> arguments) const {
  std::vector<std::size_t> sizes;
  std::vector<const void*> addresses;
  sizes.reserve(arguments.size());
  addresses.reserve(arguments.size());
  for (const auto& passed : arguments) {
    sizes.push_back(passed.bytes());
    addresses.push_back(passed.address());
  }
  detail::check_parameters(*body_, sizes);
  body_->launch(stream, threads, addresses.data());
}

namespace detail {

void check_parameters(const function_body& body, std::span<const std::size_t> bytes) {
  const auto parameter_bytes = body.parameters();
  if (bytes.size() != parameter_bytes.size())
    throw invalid_argument(fmt::format("{} takes {} arguments, not {}", body.name(),
                                       parameter_bytes.size(), bytes.size()));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] != parameter_bytes[i])
      throw invalid_argument(
          fmt::format("argument {} of {} has {} bytes, not {}: its type is another one", i + 1,
                      body.name(), parameter_bytes[i], bytes[i]));
}

void check_shape(const function_body& body, const launch_shape& threads) {
  // CUDA C++ Programming Guide, "Compute Capabilities": the same limits for all.
  const extent3 largest_grid{INT_MAX, 65535, 65535};
  const extent3 largest_block{1024, 1024, 64};
  constexpr std::size_t most_threads = 1024;
  const auto check = [&](const char* level, const extent3& extent, const extent3& largest) {
    if (extent.x == 0 || extent.y == 0 || extent.z == 0 || extent.x > largest.x ||
        extent.y > largest.y || extent.z > largest.z)
      throw invalid_argument(fmt::format(
          "{} cannot be launched with a {} of {} x {} x {}: from 1 to {} x {} x {}", body.name(),
          level, extent.x, extent.y, extent.z, largest.x, largest.y, largest.z));
  };
  check("grid", threads.grid, largest_grid);
  check("block", threads.block, largest_block);
  const auto& block = threads.block;
  if (std::size_t{block.x} * block.y * block.z > most_threads)
    throw invalid_argument(
        fmt::format("{} cannot be launched with a block of {} x {} x {}: at most {} threads",
                    body.name(), block.x, block.y, block.z, most_threads));
}

function make_host_function(std::string name, std::vector<std::size_t> parameters,
                            erased_call kernel) {
  return function(
      std::make_shared<host_body>(std::move(name), std::move(parameters), std::move(kernel)));
}

}  // namespace detail
}  // namespace transfers
