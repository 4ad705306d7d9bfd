#include "src/transfers/cuda/cuda_graph.hpp"

#include <cuda_runtime.h>

#include <memory>
#include <type_traits>
#include <utility>

#include "src/transfers/cuda/check.hpp"
#include "src/transfers/cuda/current_context.hpp"

namespace transfers::detail {
namespace {

struct graph_destroyer {
  using pointer = cudaGraph_t;
  void operator()(cudaGraph_t graph) const noexcept { cudaGraphDestroy(graph); }
};
using graph_handle = std::unique_ptr<cudaGraph_t, graph_destroyer>;

/// Always ends the recording: a stream that keeps recording runs nothing.
class recording {
 public:
  explicit recording(cudaStream_t stream) : stream_(stream) {
    // Relaxed: after an error, cuda_check() must be able to ask whether the device is lost.
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed),
               "cudaStreamBeginCapture");
  }
  ~recording() {
    if (stream_ == nullptr) return;
    cudaGraph_t unwanted{};
    cudaStreamEndCapture(stream_, &unwanted);
    cudaGetLastError();  // left by the work, which has thrown
    if (unwanted != nullptr) cudaGraphDestroy(unwanted);
  }
  recording(const recording&) = delete;
  recording& operator=(const recording&) = delete;

  graph_handle end() {
    cudaGraph_t recorded{};
    cuda_check(cudaStreamEndCapture(std::exchange(stream_, nullptr), &recorded),
               "cudaStreamEndCapture");
    return graph_handle(recorded);
  }

 private:
  cudaStream_t stream_;
};

}  // namespace

std::function<void()> record_cuda_graph(const stream& stream, const std::function<void()>& work) {
  auto* const handle = static_cast<cudaStream_t>(stream.native_handle());
  auto* const context = static_cast<CUcontext>(stream.native_context());
  const current_context current(context);
  recording begun(handle);
  work();
  const auto recorded = begun.end();
  cudaGraphExec_t instantiated{};
  cuda_check(cudaGraphInstantiate(&instantiated, recorded.get(), 0), "cudaGraphInstantiate");
  const std::shared_ptr<std::remove_pointer_t<cudaGraphExec_t>> executable(
      instantiated, [context](cudaGraphExec_t graph) {
        const current_context destroying(context, std::nothrow);
        cudaGraphExecDestroy(graph);
      });
  return [executable, handle, context] {
    const current_context launching(context);
    cuda_check(cudaGraphLaunch(executable.get(), handle), "cudaGraphLaunch");
  };
}

}  // namespace transfers::detail
