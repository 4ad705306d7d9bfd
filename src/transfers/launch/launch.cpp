#include "transfers/launch/launch.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <climits>
#include <cstdlib>
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
  host_body(std::string name, std::vector<detail::parameter> parameters, detail::erased_call kernel)
      : name_(std::move(name)), parameters_(std::move(parameters)), kernel_(std::move(kernel)) {}

  [[nodiscard]] const std::string& name() const noexcept override { return name_; }
  [[nodiscard]] std::span<const detail::parameter> parameters() const noexcept override {
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
    for (const auto& parameter : parameters_) {
      offsets.push_back(bytes);
      bytes += (parameter.bytes + aligned - 1) / aligned * aligned;
    }
    std::vector<std::max_align_t> copies(bytes / sizeof(std::max_align_t) + 1);
    auto* const first = reinterpret_cast<std::byte*>(copies.data());
    for (std::size_t i = 0; i < offsets.size(); ++i)
      std::memcpy(first + offsets[i], arguments[i], parameters_[i].bytes);
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
  std::vector<detail::parameter> parameters_;
  detail::erased_call kernel_;
};

}  // namespace

void function::launch(stream& stream, const launch_shape& threads,
                      std::span<const argument> arguments) const {
  std::vector<detail::parameter> kinds;
  std::vector<const void*> addresses;
  kinds.reserve(arguments.size());
  addresses.reserve(arguments.size());
  const auto own = stream.identity();
  for (const auto& passed : arguments) {
    detail::check_access(passed.owner(), own);
    kinds.push_back(passed.kind());
    addresses.push_back(passed.address());
  }
  detail::check_parameters(*body_, kinds);
  body_->launch(stream, threads, addresses.data());
}

namespace detail {

namespace {

std::string type_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return name ? name.get() : type.name();
}

bool is_compatible(const parameter& expected, const parameter& passed) {
  if (expected.type == nullptr || passed.type == nullptr || *expected.type == *passed.type)
    return true;
  if (expected.points_to_void && passed.is_pointer)
    return expected.points_to_const || !passed.points_to_const;
  return expected.converts_from != nullptr && *expected.converts_from == *passed.type;
}

}  // namespace

void check_parameters(const function_body& body, std::span<const parameter> arguments) {
  const auto parameters = body.parameters();
  if (arguments.size() != parameters.size())
    throw invalid_argument(fmt::format("{} takes {} arguments, not {}", body.name(),
                                       parameters.size(), arguments.size()));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!is_compatible(parameters[i], arguments[i]))
      throw invalid_argument(fmt::format("argument {} of {} has the type {}, not {}", i + 1,
                                         body.name(), type_name(*parameters[i].type),
                                         type_name(*arguments[i].type)));
    if (arguments[i].bytes != parameters[i].bytes)
      throw invalid_argument(
          fmt::format("argument {} of {} has {} bytes, not {}: its type is another one", i + 1,
                      body.name(), parameters[i].bytes, arguments[i].bytes));
  }
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
          "{} cannot be launched with a {} of {} x {} x {}: extents are from 1 to {}, {} and {}",
          body.name(), level, extent.x, extent.y, extent.z, largest.x, largest.y, largest.z));
  };
  check("grid", threads.grid, largest_grid);
  check("block", threads.block, largest_block);
  const auto& block = threads.block;
  if (std::size_t{block.x} * block.y * block.z > most_threads)
    throw invalid_argument(
        fmt::format("{} cannot be launched with a block of {} x {} x {}: at most {} threads",
                    body.name(), block.x, block.y, block.z, most_threads));
}

std::shared_ptr<const function_body> make_host_function(std::string name,
                                                        std::vector<parameter> parameters,
                                                        erased_call kernel) {
  return std::make_shared<host_body>(std::move(name), std::move(parameters), std::move(kernel));
}

}  // namespace detail
}  // namespace transfers
