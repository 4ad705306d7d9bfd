#include "graphs.hpp"

#include <memory>

#include "transfers/cuda/check.hpp"

namespace bench::subjects {
namespace {

using transfers::detail::cuda_check;

struct graph_destroyer {
  using pointer = cudaGraph_t;
  void operator()(cudaGraph_t graph) const noexcept { cudaGraphDestroy(graph); }
};
struct executable_destroyer {
  void operator()(cudaGraphExec_t graph) const noexcept { cudaGraphExecDestroy(graph); }
};
using graph_handle = std::unique_ptr<cudaGraph_t, graph_destroyer>;

graph_handle end_capture(cudaStream_t stream) {
  cudaGraph_t graph{};
  cuda_check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  return graph_handle(graph);
}

graph_handle capture(cudaStream_t stream, const std::function<void()>& enqueue) {
  cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
             "cudaStreamBeginCapture");
  try {
    enqueue();
  } catch (...) {
    cudaGraph_t graph{};
    cudaStreamEndCapture(stream, &graph);  // the stream works as ever again
    if (graph != nullptr) cudaGraphDestroy(graph);
    cudaGetLastError();
    throw;
  }
  return end_capture(stream);
}

}  // namespace

std::function<void()> captured(cudaStream_t stream, const std::function<void()>& enqueue) {
  const auto graph = capture(stream, enqueue);
  cudaGraphExec_t instantiated{};
  cuda_check(cudaGraphInstantiate(&instantiated, graph.get(), 0), "cudaGraphInstantiate");
  const std::shared_ptr<CUgraphExec_st> executable(instantiated, executable_destroyer{});
  return [executable, stream] {
    cuda_check(cudaGraphLaunch(executable.get(), stream), "cudaGraphLaunch");
  };
}

}  // namespace bench::subjects
