#include <cstdio>
#include <transfers/transfers.hpp>
#include <transfers/version.hpp>
#include <vector>

int main() {
  const std::vector<float> values{1, 2, 3, 4};
  const auto device = transfers::open_default_device();  // the first GPU, or the host
  transfers::context gpu(*device);
  const auto doubled = (2 * transfers::to_gpu(gpu, values)).get();
  std::printf("transfers %s, %s: 2 * %g = %g\n", transfers::version(),
              device->description().name.c_str(), values[3], doubled[3]);
  return doubled[3] == 8 ? 0 : 1;
}
