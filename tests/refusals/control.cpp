// The valid counterpart of each refused source; it must compile.
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "transfers/array/arithmetic.hpp"
#include "transfers/array/buffer.hpp"
#include "transfers/array/create.hpp"
#include "transfers/array/gpu_array.hpp"
#include "transfers/array/reduce.hpp"
#include "transfers/fast/round_trip.hpp"
#include "transfers/fast/scattered.hpp"
#include "transfers/fast/streaming.hpp"
#include "transfers/launch/arguments.hpp"
#include "transfers/launch/launch.hpp"

using namespace transfers;

void compiles(const context& gpu, const function& kernel) {
  std::vector<float> data(3);
  const std::vector<float>& source = data;

  device_buffer<float> buffer(gpu, 3);
  buffer.copy_from(source);
  buffer.copy_to(data);
  buffer.copy_to(std::span(data));

  auto array = to_gpu(gpu, source);
  host_array<float> shaped({3});
  array.set_async(source);
  array.set_async(std::span(data.data(), data.size()));
  buffer.copy_from_async(std::span(data));
  array.set({1.0F, 2.0F, 3.0F});
  array.set_async(shaped);
  array.set_async(std::as_const(shaped));
  buffer.copy_from_async(data);
  array.get(data);
  array.get(strided_view<float>(data, {3}, {1}));
  float value = 5;
  const float constant = 5;
  call(
      gpu, [](const float*, float*, float*) {}, in(source), out(data), in_out(data));
  call(
      gpu, [](const float*, const float*, float*, float*) {}, in(constant), in(value), out(value),
      in_out(value));

  const host_buffer<std::array<char, 7>> odd(3);
  const auto integers = to_gpu(gpu, std::vector<std::int32_t>{1, 2, 3});
  const auto text = to_gpu(gpu, std::string("text"));
  const auto calculated = (integers + 2) * integers.astype<float>().size();
  array = array * 2.5 + 1;
  array *= 2.5;
  const auto negated = -array;
  const auto bytes = to_gpu(gpu, std::vector<std::uint8_t>{1, 2, 3});
  const auto total = sum(bytes.astype<float>()) + sum(integers);
  fill(array, 1);

  const auto prepared = kernel.prepare<float*, int>();
  const auto scale = host_function("scale", [](const thread_index&, float*, int) {});
  scale(gpu, {}, array, 2);
  scale(gpu, {}, array.view(), 2);
  scale(gpu, {}, in_out(data), 2);

  const auto view = array.view();
  const device_view<const float> read_only = view;
  gpu.copy(view, read_only);
  gpu.copy(data, read_only);
  const auto zeros_there = zeros<float>(gpu, {3});
  gpu.copy_async(array, zeros_there.view());
  gpu.stream().copy_by_kernel(view, read_only);
  gpu.stream().copy(view, source);
  calculate(gpu.stream(), arithmetic::multiply, view.first(2), 2);
  auto lock = gpu.device().lock(data);
  const scattered_block block(data);
  streaming_load(data, source);
  round_trip(gpu, source, data, [](stream&, device_view<float>, std::size_t) {});

  const int n = 3;
  array = zeros<float>(gpu, {n}).reshape({n, 1}).copy();
  const auto moved = std::move(array);
}
