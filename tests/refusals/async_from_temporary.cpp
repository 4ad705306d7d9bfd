// expect: must not be a temporary
#include <transfers/transfers.hpp>
#include <vector>

void refused(const transfers::context& gpu) {
  static_cast<void>(transfers::to_gpu_async(gpu, std::vector<float>(10)));
}
