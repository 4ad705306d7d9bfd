// While another context of the same GPU is current, the library works in the device's primary
// context and leaves the other one current. With one GPU, this shows what several_devices_test.cpp
// shows with two.
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>

#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "src/transfers/cuda/toolkit.hpp"
#include "tests/basics.hpp"
#include "tests/gpu/kernels_for_tests.hpp"
#include "tests/gpu/on_gpu.hpp"
#include "tests/gpu/pattern.hpp"
#include "transfers/transfers.hpp"

namespace transfers::another_context_test {
namespace {

template <class Function>
Function driver_function(const char* name, unsigned version = 12000) {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult status{};
  EXPECT_EQ(detail::find_in_driver(name, &address, version, &status), cudaSuccess);
  EXPECT_EQ(status, cudaDriverEntryPointSuccess) << name;
  return reinterpret_cast<Function>(address);
}

class beside_another_context : public on_gpu {
 protected:
  void set_up() override {
    constexpr unsigned signature_of_version = 3020;
    const auto create = driver_function<PFN_cuCtxCreate_v3020>("cuCtxCreate", signature_of_version);
    ASSERT_EQ(create(&other_, 0, 0), CUDA_SUCCESS);  // also makes it current
    ASSERT_EQ(current(), other_);
  }
  void TearDown() override {
    if (other_ == nullptr) return;
    EXPECT_EQ(current(), other_);
    gpu.reset();
    EXPECT_EQ(current(), other_);
    driver_function<PFN_cuCtxDestroy_v4000>("cuCtxDestroy")(other_);
  }

  static CUcontext current() {
    CUcontext context{};
    EXPECT_EQ(driver_function<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent")(&context),
              CUDA_SUCCESS);
    return context;
  }

  static CUcontext context_of(const void* address) {
    CUcontext context{};
    EXPECT_EQ(driver_function<PFN_cuPointerGetAttribute_v4000>("cuPointerGetAttribute")(
                  static_cast<void*>(&context), CU_POINTER_ATTRIBUTE_CONTEXT,
                  reinterpret_cast<CUdeviceptr>(address)),
              CUDA_SUCCESS);
    return context;
  }

  static CUcontext context_of(const stream& stream) {
    CUcontext context{};
    EXPECT_EQ(driver_function<PFN_cuStreamGetCtx_v9020>("cuStreamGetCtx", 9020)(
                  static_cast<CUstream>(stream.native_handle()), &context),
              CUDA_SUCCESS);
    EXPECT_EQ(context, stream.native_context());
    return context;
  }

  CUcontext other_ = nullptr;
};

TEST_F(beside_another_context, memory_streams_and_copies_belong_to_the_primary_context) {
  const auto block = gpu->allocate(mib);
  EXPECT_NE(context_of(block.data()), other_);
  for (const auto kind : {pinned(), pinned(pin_flags::mapped), registered}) {
    const auto host = gpu->allocate_host(mib, kind);
    EXPECT_NE(context_of(host.data()), other_) << describe(kind);
    write_host_pattern(host.data(), 0, mib, {3, false});
    gpu->copy(block.data(), host.data(), mib, direction::h2d);
    EXPECT_EQ(check_pattern(*gpu, block.data(), 0, mib, {3, false}).wrong_bytes, 0U);
  }
  const auto stream = gpu->create_stream();
  EXPECT_NE(context_of(*stream), other_);
  stream->clear(block.data(), mib);
  const auto end = stream->record();
  end->wait();
  EXPECT_TRUE(end->done());
  gpu->synchronize();
  EXPECT_EQ(current(), other_);
}

TEST_F(beside_another_context, arrays_kernels_and_graphs_run_in_the_primary_context) {
  const context context(*gpu);
  const auto doubled = 2 * to_gpu(context, std::vector<float>{1, 2, 3});
  EXPECT_NE(context_of(doubled.data()), other_);
  EXPECT_EQ(doubled.get(pinned())[2], 6);
  std::vector<float> data{1, 2, 3, 4};
  const auto scale = cuda_function("scale", scale_kernel());
  scale(context, {.grid = {2}, .block = {2}}, in_out(data), 3.0F, 4U);
  EXPECT_EQ(data[3], 12);
  if (!why_no_compiler()) {
    const source_module module(
        *gpu, "__global__ void twice(float* data) { data[threadIdx.x] = 2 * data[threadIdx.x]; }");
    module.get_function("twice")(context, {.block = {4}}, in_out(data));
    EXPECT_EQ(data[3], 24);
  }
  const auto host = gpu->allocate_host(mib, pinned());
  const auto block = gpu->allocate(mib);
  auto& stream = context.stream();
  const graph recorded(stream,
                       [&] { stream.copy(block.data(), host.data(), mib, direction::h2d); });
  write_host_pattern(host.data(), 0, mib, {5, false});
  recorded.enqueue();
  stream.synchronize();
  EXPECT_EQ(check_pattern(*gpu, block.data(), 0, mib, {5, false}).wrong_bytes, 0U);
  std::vector<std::byte> ordinary(16 * mib);
  staged_copier(*gpu).copy(gpu->allocate(ordinary.size()).data(), ordinary.data(), ordinary.size(),
                           direction::h2d);
  mailbox box(*gpu, echo_service(*gpu));
  EXPECT_EQ(box.exchange(7), 7U);
  EXPECT_EQ(current(), other_);
}

TEST_F(beside_another_context, errors_leave_it_current) {
  std::vector<std::byte> memory(mib);
  const auto lock = gpu->lock(memory);
  EXPECT_THROW(static_cast<void>(gpu->lock(memory)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(gpu->allocate(std::size_t{1} << 50)), out_of_memory);
  EXPECT_EQ(current(), other_);
}

TEST_F(beside_another_context, make_current_restores_it_whatever_was_set_meanwhile) {
  {
    const auto primary = gpu->make_current();
    EXPECT_NE(current(), other_);
    const auto again = gpu->make_current();
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  }
  EXPECT_EQ(current(), other_);
  std::thread([this] {
    EXPECT_EQ(current(), nullptr);
    const auto block = gpu->allocate(mib);
    EXPECT_NE(context_of(block.data()), other_);
    EXPECT_EQ(current(), nullptr);
  }).join();
}

}  // namespace
}  // namespace transfers::another_context_test
