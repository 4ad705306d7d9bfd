// Records of 7 bytes, and parts of an array whose elements are not side by side in memory.
// PyCUDA: cuda.memcpy_htod(a_gpu, records); cuda.memcpy_htod(b_gpu, a[:, ::2].copy()), because it
//         takes only memory without gaps
// Here a strided_view describes the layout; gaps on the host keep their content.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iostream>
#include <numeric>
#include <vector>

#include "transfers/transfers.hpp"

namespace {

// numpy.dtype([("id", "u1"), ("hits", "u2"), ("weight", "f4")])
#pragma pack(push, 1)
struct record {
  std::uint8_t id;
  std::uint16_t hits;
  float weight;

  bool operator==(const record&) const = default;
};
#pragma pack(pop)
static_assert(sizeof(record) == 7);

bool records_come_back(const transfers::context& gpu) {
  const std::vector<record> records{{1, 500, 0.25F}, {2, 7, 0.5F}, {3, 65535, 1.0F}};
  std::vector<record> back(records.size());
  transfers::to_gpu(gpu, records).get(back);
  return back == records;
}

/// Uploads the elements of a view, downloads them once without gaps and once into another matrix
/// with the same layout, and checks both.
bool comes_back(const transfers::context& gpu, const std::vector<float>& matrix,
                const transfers::shape& shape, std::initializer_list<std::ptrdiff_t> strides) {
  const auto part_gpu =
      transfers::to_gpu(gpu, transfers::strided_view<const float>(matrix, shape, strides));
  const auto packed = part_gpu.get();

  std::vector<float> copy(matrix.size(), -1);
  part_gpu.get(transfers::strided_view<float>(copy, shape, strides));

  std::size_t untouched = copy.size();
  for (std::size_t row = 0; row < shape[0]; ++row)
    for (std::size_t column = 0; column < shape[1]; ++column) {
      const auto at = row * static_cast<std::size_t>(strides.begin()[0]) +
                      column * static_cast<std::size_t>(strides.begin()[1]);
      if (packed(row, column) != matrix[at] || copy[at] != matrix[at]) return false;
      --untouched;
    }
  return std::count(copy.begin(), copy.end(), -1.0F) == static_cast<std::ptrdiff_t>(untouched);
}

}  // namespace

int main() {
  const auto device = transfers::open_default_device();
  std::cout << "Running on " << device->description().name << '\n';
  const transfers::context gpu(*device);

  std::vector<float> matrix(24);  // 4 rows of 6: strides {6, 1}
  std::iota(matrix.begin(), matrix.end(), 0.0F);

  const auto report = [](const char* name, bool passed) {
    std::cout << name << (passed ? ": right\n" : ": WRONG\n");
    return passed;
  };
  bool passed = report("records of 7 bytes", records_come_back(gpu));
  passed &= report("every second column, a[:, ::2]", comes_back(gpu, matrix, {4, 3}, {6, 2}));
  passed &= report("rows with padding, a[:, :5]", comes_back(gpu, matrix, {4, 5}, {6, 1}));
  passed &= report("the transposed matrix, a.T", comes_back(gpu, matrix, {6, 4}, {1, 6}));
  if (!passed) {
    std::cerr << "Wrong: see above.\n";
    return 1;
  }
}
