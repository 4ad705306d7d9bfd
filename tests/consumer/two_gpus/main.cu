// Two GPUs with two streams each calculate y = a * x + y. Half of the data are page-locked, the
// other half are pageable. An exception interrupts the work in the middle; the program goes on. One
// GPU takes both parts if there is no second.
#include <cstdio>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <transfers/cuda/interop.hpp>
#include <transfers/transfers.hpp>
#include <vector>

__global__ void axpy(float* y, const float* x, float a, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] += a * x[i];
}

namespace {

constexpr std::size_t elements = std::size_t{3} << 20;  // of one stream: 12 MiB, which are staged
constexpr transfers::launch_shape threads{.grid = {elements / 256}, .block = {256}};

void require(bool condition, const char* claim) {
  if (!condition) throw std::runtime_error(claim);
}

/// A GPU, and the two contexts that work on it with one pool.
struct worker {
  explicit worker(int index)
      : device(transfers::open_cuda_device(index)),
        pool(*device),
        pinned(*device, pool),
        pageable(*device, pool) {}

  std::unique_ptr<transfers::device> device;
  transfers::device_pool pool;
  transfers::context pinned;
  transfers::context pageable;
};

transfers::gpu_array<float> calculate(const transfers::context& gpu, const auto& x) {
  const auto current = gpu.device().make_current();
  const auto kernel = transfers::cuda_function("axpy", axpy).prepare();
  const auto x_gpu = transfers::to_gpu_async(gpu, x);
  auto y = transfers::ones<float>(gpu, {elements});
  kernel(gpu.stream(), threads, y.data(), x_gpu.data(), 2, elements);
  return y;
}

bool is_result(const auto& y, float first) {
  for (std::size_t i = 0; i < elements; ++i)
    if (y[i] != 2 * (first + static_cast<float>(i % 1000)) + 1) return false;
  return true;
}

/// Enqueues work, and throws before anybody has waited for it.
void fail_in_the_middle(worker& gpu, const transfers::host_array<float>& source) {
  const auto array = transfers::to_gpu_async(gpu.pinned, source);
  const auto result = (2 * array).get_async();
  std::vector<float> too_small(elements - 1);
  array.get(too_small);
}

void run(worker& first, worker& second) {
  auto locked = transfers::pinned_empty<float>(*first.device, {elements});
  std::vector<float> ordinary(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    locked[i] = static_cast<float>(i % 1000);
    ordinary[i] = locked[i] + 5;
  }
  for (auto* const gpu : {&first, &second}) {
    const auto begin = gpu->pinned.stream().record();
    const auto of_locked = calculate(gpu->pinned, locked);
    const auto end = gpu->pinned.stream().record();
    const auto of_ordinary = calculate(gpu->pageable, ordinary);

    try {
      fail_in_the_middle(*gpu, locked);
      require(false, "a download into too few elements was not refused");
    } catch (const transfers::error& refusal) {
      std::printf("refused: %s\n", refusal.what());
    }
    require(end->time_since(*begin).count() > 0, "the GPU's clock stands still");
    require(is_result(of_locked.get(), 0), "wrong result from page-locked memory");
    require(is_result(of_ordinary.get(), 5), "wrong result from pageable memory");

    // To the other GPU, where the next operation waits for the copy, and on in place.
    auto& other = gpu == &first ? second : first;
    auto there = of_ordinary.copy(other.pinned);
    there -= 10;
    require(is_result(there.get(), 0), "wrong result from the other GPU");
    // A part, in a stream that this program has made.
    cudaStream_t own{};
    const auto current = gpu->device->make_current();
    require(cudaStreamCreate(&own) == cudaSuccess, "cudaStreamCreate");
    {
      const auto adopted = transfers::adopt_stream(*gpu->device, own);
      const transfers::context borrowing(*gpu->device, *adopted, gpu->pool);
      std::vector<float> part(1000);
      borrowing.wait_for(gpu->pinned);
      borrowing.copy(part, of_locked.view().subview(2000, 1000));
      require(part[7] == 15, "wrong part of an array");
      require(transfers::native_stream(borrowing.stream()) == own, "another stream");
    }
    require(cudaStreamDestroy(own) == cudaSuccess, "cudaStreamDestroy");
    require(transfers::sum(of_locked) == 2 * 499.5 * (elements - elements % 1000) + elements +
                                             (elements % 1000) * (elements % 1000 - 1.0),
            "wrong sum");
  }
}

}  // namespace

int main() try {
  const auto gpus = transfers::find_cuda();
  if (gpus.devices == 0) {
    std::printf("no GPU: %s\n", gpus.why_none.c_str());
    return 0;
  }
  worker first(0);
  worker second(gpus.devices > 1 ? 1 : 0);
  std::printf("peer access: %d %d\n", first.device->access_peer(*second.device),
              second.device->access_peer(*first.device));
  run(first, second);
  std::printf("%d GPUs, two streams each: all right\n", gpus.devices > 1 ? 2 : 1);
} catch (const std::exception& failure) {
  std::fprintf(stderr, "%s\n", failure.what());
  return 1;
}
