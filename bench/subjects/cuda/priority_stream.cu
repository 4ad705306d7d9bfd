#include "bench/cuda/check.hpp"
#include "bench/subjects/priority_stream.hpp"

namespace bench_transfers::bench::subjects {
namespace {

std::shared_ptr<CUstream_st> make_native() {
  int least = 0;
  int greatest = 0;
  cuda_check(cudaDeviceGetStreamPriorityRange(&least, &greatest),
             "cudaDeviceGetStreamPriorityRange");
  cudaStream_t stream{};
  cuda_check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest),
             "cudaStreamCreateWithPriority");
  return {stream, [](cudaStream_t made) { cudaStreamDestroy(made); }};
}

}  // namespace

std::shared_ptr<transfers::stream> high_priority_stream(transfers::device& device) {
  if (!device.description().cuda) return device.create_stream();
  struct owned_stream {
    std::shared_ptr<CUstream_st> native;
    std::unique_ptr<transfers::stream> adopted;
  };
  const auto owner = std::make_shared<owned_stream>();
  owner->native = make_native();
  owner->adopted = device.adopt_stream(owner->native.get());
  return {owner, owner->adopted.get()};
}

}  // namespace bench_transfers::bench::subjects
