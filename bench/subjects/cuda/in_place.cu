#include <algorithm>
#include <memory>

#include "bench/cuda/check.hpp"
#include "bench/subjects/in_place.hpp"

namespace bench_transfers::bench::subjects {
namespace {

constexpr unsigned block_threads = 512;

__global__ void access_pieces(uint4* host, const std::uint32_t* offsets, unsigned units_of_piece,
                              std::size_t units, uint4* on_device, bool to_device) {
  constexpr int in_flight = 8;
  const std::size_t stride = gridDim.x * std::size_t{block_threads};
  for (std::size_t i = blockIdx.x * std::size_t{block_threads} + threadIdx.x; i < units;
       i += in_flight * stride) {
    uint4* at[in_flight];
    uint4 held[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      const auto unit = i + k * stride;
      if (unit < units) at[k] = host + offsets[unit / units_of_piece] + unit % units_of_piece;
    }
#pragma unroll
    for (int k = 0; k < in_flight; ++k)
      if (i + k * stride < units) held[k] = to_device ? *at[k] : on_device[i + k * stride];
#pragma unroll
    for (int k = 0; k < in_flight; ++k)
      if (i + k * stride < units) *(to_device ? on_device + i + k * stride : at[k]) = held[k];
  }
}

std::shared_ptr<std::uint32_t> upload(const std::vector<std::uint32_t>& offsets) {
  void* memory = nullptr;
  const auto bytes = offsets.size() * sizeof(std::uint32_t);
  cuda_check(cudaMalloc(&memory, bytes), "cudaMalloc");
  const std::shared_ptr<std::uint32_t> owner(static_cast<std::uint32_t*>(memory),
                                             [](std::uint32_t* p) { cudaFree(p); });
  cuda_check(cudaMemcpy(memory, offsets.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  cuda_check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
  return owner;
}

}  // namespace

pieces_kernel copy_pieces_in_place(const transfers::device& device, transfers::stream& stream,
                                   const pieces_in_place& pieces) {
  if (device.description().kind != "cuda") return copy_pieces_in_place_on_host(stream, pieces);
  const auto multiprocessors = static_cast<std::size_t>(device.description().cuda->multiprocessors);
  const auto units_of_piece = pieces.piece_bytes / pieces_in_place::unit;
  const auto units = pieces.offsets.size() * units_of_piece;
  const auto blocks =
      std::clamp<std::size_t>((units + block_threads - 1) / block_threads, 1, 2 * multiprocessors);
  const auto native_stream = static_cast<cudaStream_t>(stream.native_handle());
  return {[=, offsets = upload(pieces.offsets), host = reinterpret_cast<uint4*>(pieces.host),
           on_device = reinterpret_cast<uint4*>(pieces.on_device),
           to_device = pieces.direction == transfers::direction::h2d] {
            access_pieces<<<static_cast<unsigned>(blocks), block_threads, 0, native_stream>>>(
                host, offsets.get(), static_cast<unsigned>(units_of_piece), units, on_device,
                to_device);
            cuda_check(cudaGetLastError(), "launch of the kernel that accesses pieces");
          },
          std::min(blocks, multiprocessors)};
}

}  // namespace bench_transfers::bench::subjects
